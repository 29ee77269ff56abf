import { type Signal, useSignal } from "@preact/signals";
import { render, type VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { closeSession, type Failure, get, holdsKey, openSession, setKey, wrongSign } from "./api.ts";
import { keepAsked } from "./asked.ts";
import { AskScreen } from "./ask-screen.tsx";
import { lazy, Suspense } from "./lazy.tsx";
import { DocumentScreen, EvidencePanel, OperatorScreen, SearchScreen, ThreadsScreen } from "./screens.tsx";
import { droppedFiles } from "./dropped-files.ts";
import { LibraryScreen } from "./library.tsx";
import { Dialog, Failed, Icon } from "./shared.tsx";
import {
  announced,
  closePlace,
  go,
  hasLogin,
  isRightToLeft,
  keep,
  type Language,
  language,
  languages,
  libraryVersion,
  link,
  locked,
  openPlace,
  panelWidth,
  route,
  session,
  showPlace,
  singleKeys,
  startLanguage,
  t,
  theme,
  useLanguage,
} from "./state.ts";
import { addFiles, AddScreen } from "./uploads.tsx";

const NotesScreen = lazy(async () => (await import("./notes.tsx")).NotesScreen);

const screens = [
  { screen: "", icon: "ask", name: "ask" },
  { screen: "search", icon: "search", name: "search" },
  { screen: "library", icon: "library", name: "library" },
  { screen: "history", icon: "threads", name: "threads" },
  { screen: "memory", icon: "memory", name: "memory" },
  { screen: "add", icon: "add", name: "add" },
  { screen: "ops", icon: "operator", name: "operator" },
] as const;

function App(): VNode {
  const documents = useSignal<number | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  const isHelpOpen = useSignal(false);
  const isDropping = useSignal(false);
  const open = async (): Promise<void> => {
    failure.value = undefined;
    try {
      await openSession();
    } catch (error) {
      if ((error as Failure).status !== 401) failure.value = error as Failure;
    }
  };
  useEffect(() => void open(), []);
  useEffect(() => {
    if (session.value === undefined) return;
    get<{ documents: number }>("status").then(
      (status) => (documents.value = status.documents),
      () => {},
    );
  }, [session.value, libraryVersion.value]);
  useShortcuts(() => (isHelpOpen.value = !isHelpOpen.value));
  useDrop(isDropping);
  useEffect(() => {
    document.documentElement.style.colorScheme = theme.value === "system" ? "light dark" : theme.value;
  }, [theme.value]);
  const { screen, hash } = route.value;
  // An address of an older page held the place behind "#".
  const isOldPlace = screen === "" && hash.has("uri");
  const name = isOldPlace ? "d" : screen;
  const body = (): VNode => {
    if (failure.value !== undefined)
      return (
        <div class="column">
          <Failed failure={failure.value} onRetry={() => void open()} />
        </div>
      );
    if (session.value === undefined)
      return <p class="column faint pulse">{locked.value === undefined ? t("loading") : ""}</p>;
    switch (name) {
      case "":
      case "t":
        return <AskScreen documents={documents.value} />;
      case "search":
        return <SearchScreen documents={documents.value} />;
      case "library":
        return <LibraryScreen />;
      case "d":
        return <DocumentScreen />;
      case "history":
        return <ThreadsScreen />;
      case "memory":
        return (
          <Suspense fallback={<p class="column faint pulse">{t("loading")}</p>}>
            <NotesScreen />
          </Suspense>
        );
      case "add":
        return <AddScreen />;
      case "ops":
        return <OperatorScreen />;
      default:
        return (
          <div class="column empty">
            <h1>{t("notFoundTitle")}</h1>
            <a {...link("./")}>{t("home")}</a>
          </div>
        );
    }
  };
  const hasPanel = openPlace.value !== undefined && (name === "" || name === "t" || name === "search");
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>("#main")?.focus();
        }}
      >
        {t("skip")}
      </a>
      <Rail current={name} onHelp={() => (isHelpOpen.value = true)} />
      <div class={`stage ${hasPanel ? "with-panel" : ""}`} style={{ "--panel": `${panelWidth.value}%` }}>
        {/* Another caller sees nothing of what the one before was shown. */}
        <main id="main" tabIndex={-1} key={session.value?.name}>
          {body()}
        </main>
        {hasPanel && <EvidencePanel />}
      </div>
      {locked.value !== undefined && (hasLogin.value ? <SignIn /> : <Unlock onOpen={open} />)}
      {isDropping.value && (
        <div class="drop-veil" aria-hidden="true">
          <p>{t("dropNow")}</p>
        </div>
      )}
      {isHelpOpen.value && <Help onClose={() => (isHelpOpen.value = false)} />}
      <div class="unseen" role="status" aria-live="polite">
        {announced.value}
      </div>
    </>
  );
}

/** Screens in the bar of a phone; the others stand behind its last entry. The style sheet knows which windows are a phone's. */
const inBar = 3;

function Rail({ current, onHelp }: { readonly current: string; readonly onHelp: () => void }): VNode {
  const { write = false, operator = false } = session.value ?? {};
  const shown = screens.filter(({ name }) => (name !== "add" || write) && (name !== "operator" || operator));
  const isOpen = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => void (isOpen.value = false), [route.value]);
  const open = current === "t" ? "" : current === "d" ? "library" : current;
  const entry = ({ screen, icon, name }: (typeof screens)[number]): VNode => (
    <a
      key={name}
      class="rail-link"
      {...link(screen === "" ? "./" : screen)}
      aria-current={open === screen ? "page" : undefined}
    >
      <Icon name={icon} />
      <span>{t(name)}</span>
    </a>
  );
  const rest = shown.slice(inBar);
  return (
    <header class="rail">
      <a class="brand" {...link("./")} title={t("home")}>
        ibid
      </a>
      <nav
        aria-label={t("menu")}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || !isOpen.value) return;
          isOpen.value = false;
          button.current?.focus();
        }}
      >
        {shown.slice(0, inBar).map(entry)}
        <button
          type="button"
          ref={button}
          class={`rail-link rail-more ${rest.some(({ screen }) => screen === open) ? "rail-here" : ""}`}
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          <Icon name="more" />
          <span>{t("moreScreens")}</span>
        </button>
        <div class={`rail-rest ${isOpen.value ? "rail-open" : ""}`}>{rest.map(entry)}</div>
      </nav>
      <div class="rail-foot">
        <label class="small">
          <span class="unseen">{t("language")}</span>
          <select
            value={language.value}
            onChange={(event) => {
              const chosen = event.currentTarget.value as Language;
              keep("language", chosen);
              void useLanguage(chosen);
            }}
          >
            {Object.entries(languages).map(([code, own]) => (
              <option value={code} lang={code}>
                {own}
              </option>
            ))}
          </select>
        </label>
        <label class="small">
          <span class="unseen">{t("darkLight")}</span>
          <select
            value={theme.value}
            onChange={(event) => {
              theme.value = event.currentTarget.value;
              keep("theme", theme.value);
            }}
          >
            <option value="system">{t("themeSystem")}</option>
            <option value="light">{t("themeLight")}</option>
            <option value="dark">{t("themeDark")}</option>
          </select>
        </label>
        <button type="button" class="plain small" onClick={onHelp}>
          {t("keyboard")}
        </button>
        {session.value !== undefined && (session.value.login || holdsKey()) && (
          <button
            type="button"
            class="plain small"
            onClick={() => {
              keepAsked(undefined);
              void closeSession();
            }}
          >
            {t("forgetKey")}
          </button>
        )}
      </div>
    </header>
  );
}

/** The way to the provider and back to this address, for people whose session has ended. */
function SignIn(): VNode {
  const { pathname, search, hash } = location;
  const to = `/${pathname.split("/").at(-1)}${search}${hash}`;
  return (
    <Dialog title={t("signedOutTitle")}>
      <p>{t("signedOutText")}</p>
      <div class="row end">
        <a class="button" href={`login?${new URLSearchParams({ to }).toString()}`}>
          {t("signIn")}
        </a>
      </div>
    </Dialog>
  );
}

/** The form for a key. What a header cannot carry is refused here, in words. */
function Unlock({ onOpen }: { readonly onOpen: () => Promise<void> }): VNode {
  const field = useRef<HTMLInputElement>(null);
  const said = useSignal<string | undefined>(locked.value === "unknown" ? t("keyUnknown") : undefined);
  const submit = async (): Promise<void> => {
    const key = field.current!.value.trim();
    const sign = wrongSign(key);
    if (key === "") said.value = t("keyMissing");
    else if (sign !== undefined) said.value = t("keyCharacters", { sign });
    else {
      said.value = undefined;
      setKey(key);
      await onOpen();
      if (locked.value !== undefined) said.value = t("keyUnknown");
    }
    field.current?.focus();
  };
  return (
    <Dialog title={t("unlockTitle")}>
      <p>{t("unlockText")}</p>
      <form
        id="unlock"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label>
          {t("keyLabel")}
          <input
            ref={field}
            id="key"
            type="password"
            autoComplete="off"
            aria-describedby="key-said"
            aria-invalid={said.value !== undefined}
          />
        </label>
        <p id="key-said" role="alert" class="warn-text">
          {said.value}
        </p>
        <div class="row end">
          <button>{t("unlock")}</button>
        </div>
      </form>
    </Dialog>
  );
}

function Help({ onClose }: { readonly onClose: () => void }): VNode {
  const keys = [
    ["/", "keysAsk"],
    ["] [", "keysSource"],
    ["j k", "keysSource"],
    ["o", "keysOriginal"],
    ["c", "keysCopy"],
    ["Esc", "keysClose"],
    ["g l", "keysLibrary"],
    ["?", "keysHelp"],
  ] as const;
  return (
    <Dialog title={t("keyboard")} onClose={onClose}>
      <dl class="keys">
        {keys.map(([key, name]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{t(name)}</dd>
          </>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={() => {
            singleKeys.value = !singleKeys.value;
            keep("keys", singleKeys.value ? undefined : "off");
          }}
        />{" "}
        {t("singleKeys")}
      </label>
    </Dialog>
  );
}

function useShortcuts(toggleHelp: () => void): void {
  useEffect(() => {
    let before = "";
    const listen = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      const isTyping =
        /^(?:INPUT|TEXTAREA|SELECT)$/u.test(target.tagName) || document.querySelector("dialog[open]") !== null;
      if (event.key === "Escape" && !isTyping && openPlace.value !== undefined) closePlace();
      if (isTyping || !singleKeys.value || event.ctrlKey || event.metaKey || event.altKey) return;
      const open = openPlace.value;
      if (event.key === "/") {
        event.preventDefault();
        document.querySelector<HTMLElement>("#question")?.focus();
      } else if (event.key === "?") toggleHelp();
      else if (event.key === "l" && before === "g") go("library");
      else if (event.key === "o" || event.key === "c")
        document.querySelector<HTMLElement>(event.key === "o" ? ".tool-original" : ".tool-copy")?.click();
      else if (/^[[\]jk]$/u.test(event.key) && open !== undefined) {
        const index = open.index + (event.key === "]" || event.key === "j" ? 1 : -1);
        if (index >= 0 && index < open.places.length) showPlace({ ...open, index });
      }
      before = event.key;
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

/** Files dropped anywhere on the page are added, by those who may write; the others read that they may not. */
function useDrop(isOver: Signal<boolean>): void {
  useEffect(() => {
    const holdsFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") === true;
    const over = (event: DragEvent): void => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      isOver.value = session.value?.write === true;
    };
    const leave = ({ relatedTarget }: DragEvent): void => {
      if (relatedTarget === null) isOver.value = false;
    };
    const drop = (event: DragEvent): void => {
      isOver.value = false;
      if (!holdsFiles(event)) return;
      event.preventDefault();
      if (session.value === undefined) return;
      if (session.value.write) void droppedFiles(event.dataTransfer!).then(addFiles);
      else go("add");
    };
    const listeners = { dragover: over, dragleave: leave, drop } as const;
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name as "drop", listener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) removeEventListener(name as "drop", listener);
    };
  }, []);
}

await startLanguage();
void isRightToLeft;
render(<App />, document.querySelector("#app")!);

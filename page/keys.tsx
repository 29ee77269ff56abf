import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { call, type Failure, get, send } from "./api.ts";
import { copyText, Dialog, Facts, Failed, Icon, IconButton, useLoaded } from "./shared.tsx";
import { announced, dateText, momentText, session, t } from "./state.ts";

/** A key of the service, as `GET /keys` shows it. */
interface ShownKey {
  readonly name: string;
  readonly operator?: boolean;
  readonly userId?: string;
  readonly teamId?: string;
  readonly teams?: readonly string[];
  readonly write?: boolean;
  readonly requestsPerMinute?: number;
  readonly requestsPerDay?: number;
  readonly bytesPerDay?: number;
  readonly tokensPerDay?: number;
  readonly expiresAt?: string;
  readonly isExpired: boolean;
  readonly lastUsedAt?: string;
}

interface Made {
  readonly name: string;
  readonly key: string;
  readonly expiresAt?: string;
}

const limits = {
  requestsPerMinute: "keyPerMinute",
  requestsPerDay: "keyPerDay",
  bytesPerDay: "keyBytes",
  tokensPerDay: "keyTokens",
} as const;

/** The keys of the service: their bearers, rights and limits, and for those who may, new ones. */
export function Keys(): VNode | null {
  const { value, failure, again } = useLoaded(`${session.value?.name}`, (signal) =>
    get<{ keys: readonly ShownKey[]; mayChange: boolean }>("keys", {}, signal),
  );
  const refused = useSignal<Failure | undefined>(undefined);
  const made = useSignal<Made | undefined>(undefined);
  const asked = useSignal<{ readonly what: "add" } | { readonly what: "revoke"; readonly name: string } | undefined>(
    undefined,
  );
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      refused.value = undefined;
      await work();
      asked.value = undefined;
      again();
    } catch (error) {
      refused.value = error as Failure;
    }
  };
  const make = (path: string, body: object): Promise<void> =>
    act(async () => (made.value = await send<Made>(path, body)));
  const close = (): void => {
    asked.value = undefined;
    refused.value = undefined;
  };
  const { keys = [], mayChange = false } = value.value ?? {};
  // Callers who sign in have no keys here.
  if (failure.value?.status === 404) return null;
  return (
    <section>
      <div class="row">
        <h2>{t("keys")}</h2>
        <span class="spacer" />
        {mayChange && (
          <button type="button" class="plain small" onClick={() => (asked.value = { what: "add" })}>
            {t("addKey")}
          </button>
        )}
      </div>
      {failure.value !== undefined && <Failed failure={failure.value} onRetry={again} />}
      {refused.value !== undefined && asked.value === undefined && <Failed failure={refused.value} />}
      <ul class="uploads keys-list">
        {keys.map((key, index) => (
          <li class="upload" key={`${key.name} ${index}`}>
            <div class="upload-words">
              <span dir="auto">{key.name}</span>
              <Facts of={["", ...factsOf(key)]} />
            </div>
            {mayChange && (
              <div class="row">
                <button
                  type="button"
                  class="plain small"
                  aria-label={`${t("rotateKey")}: ${key.name}`}
                  onClick={() => void make("keys/rotate", rotationOf(key))}
                >
                  {t("rotateKey")}
                </button>
                {key.name !== session.value?.name && (
                  <IconButton
                    icon="trash"
                    label={`${t("revokeKey")}: ${key.name}`}
                    onClick={() => (asked.value = { what: "revoke", name: key.name })}
                  />
                )}
              </div>
            )}
          </li>
        ))}
      </ul>
      {asked.value?.what === "add" && (
        <KeyForm failure={refused.value} onClose={close} onMake={(body) => make("keys", body)} />
      )}
      {asked.value?.what === "revoke" && (
        <Dialog title={t("revokeTitle", { name: asked.value.name })} onClose={close}>
          <p>{t("revokeText")}</p>
          {refused.value !== undefined && <Failed failure={refused.value} />}
          <div class="row end">
            <button type="button" class="plain" onClick={close}>
              {t("cancel")}
            </button>
            <button
              type="button"
              class="danger"
              onClick={() => {
                const { name } = asked.value as { readonly name: string };
                void act(() => call(`key?${new URLSearchParams({ name })}`, { method: "DELETE" }));
              }}
            >
              {t("revokeKey")}
            </button>
          </div>
        </Dialog>
      )}
      {made.value !== undefined && <MadeKey made={made.value} onClose={() => (made.value = undefined)} />}
    </section>
  );
}

/** Rights, limits and times of a key, in words. */
function factsOf(key: ShownKey): readonly string[] {
  const { operator, userId, teamId, teams = [], write, expiresAt, isExpired, lastUsedAt } = key;
  const bearer = [userId, ...new Set([teamId, ...teams])].filter((each) => each !== undefined);
  return [
    operator === true ? t("operator") : bearer.length === 0 ? t("keyShared") : bearer.join(", "),
    write === true ? t("keyWrites") : "",
    ...Object.entries(limits).map(([field, words]) => {
      const limit = key[field as keyof typeof limits];
      return limit === undefined || limit === 0 ? "" : t(words, { n: limit });
    }),
    expiresAt === undefined ? "" : t(isExpired ? "keyExpired" : "keyUntil", { date: dateText(expiresAt) }),
    lastUsedAt === undefined ? t("keyUnused") : t("keyUsed", { date: momentText(lastUsedAt) }),
  ].filter((each) => each !== "");
}

/** Days after which a new key ends; 0 for never. */
const lives = [90, 365, 0] as const;
const dayMs = 86_400_000;

/** A further key for a name. One whose time is over would make another that has ended, unless it gets a time. */
const rotationOf = ({ name, isExpired }: ShownKey): object => ({ name, ...(isExpired && { expiresInDays: lives[0] }) });

function KeyForm({
  failure,
  onMake,
  onClose,
}: {
  readonly failure: Failure | undefined;
  readonly onMake: (body: object) => Promise<void>;
  readonly onClose: () => void;
}): VNode {
  const [name, user, teams] = [
    useRef<HTMLInputElement>(null),
    useRef<HTMLInputElement>(null),
    useRef<HTMLInputElement>(null),
  ];
  const [isOperator, mayWrite, isBusy] = [useSignal(false), useSignal(false), useSignal(false)];
  const days = useSignal<number>(lives[0]);
  const submit = async (): Promise<void> => {
    const userId = user.current?.value.trim() ?? "";
    const own = (teams.current?.value ?? "")
      .split(",")
      .map((team) => team.trim())
      .filter((team) => team !== "");
    isBusy.value = true;
    await onMake({
      name: name.current!.value.trim(),
      ...(isOperator.value && { operator: true }),
      ...(mayWrite.value && { write: true }),
      ...(userId !== "" && { userId }),
      ...(own.length > 0 && { teams: own }),
      ...(days.value > 0 && { expiresAt: new Date(Date.now() + days.value * dayMs).toISOString() }),
    });
    isBusy.value = false;
  };
  const check = (words: string, is: typeof mayWrite): VNode => (
    <label class="check">
      <input type="checkbox" checked={is.value} onChange={() => (is.value = !is.value)} /> {words}
    </label>
  );
  return (
    <Dialog title={t("addKey")} onClose={onClose}>
      <form
        class="note-form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label>
          {t("keyName")}
          <input ref={name} type="text" dir="auto" required maxLength={100} autoComplete="off" />
        </label>
        {check(t("keyOperator"), isOperator)}
        {!isOperator.value && (
          <>
            <label>
              {t("keyUser")}
              <input ref={user} type="text" dir="auto" maxLength={200} autoComplete="off" />
            </label>
            <label>
              {t("keyTeams")}
              <input ref={teams} type="text" dir="auto" maxLength={1000} autoComplete="off" />
            </label>
            <p class="small faint">{t("keyBearerHint")}</p>
          </>
        )}
        {check(t("keyMayWrite"), mayWrite)}
        <label>
          {t("keyLife")}{" "}
          <select value={days.value} onChange={(event) => (days.value = Number(event.currentTarget.value))}>
            {lives.map((each) => (
              <option value={each}>{each === 0 ? t("keyForever") : t("keyDays", { n: each })}</option>
            ))}
          </select>
        </label>
        {failure !== undefined && <Failed failure={failure} />}
        <div class="row end">
          <button type="button" class="plain" onClick={onClose}>
            {t("cancel")}
          </button>
          <button disabled={isBusy.value}>{t("addKey")}</button>
        </div>
      </form>
    </Dialog>
  );
}

/** The key itself, which is shown this once. */
function MadeKey({ made, onClose }: { readonly made: Made; readonly onClose: () => void }): VNode {
  const isCopied = useSignal(false);
  const copy = async (): Promise<void> => {
    isCopied.value = await copyText(made.key);
    announced.value = t(isCopied.value ? "copied" : "notCopied");
  };
  return (
    <Dialog title={t("keyMade", { name: made.name })} onClose={onClose}>
      <p>{t("keyOnce")}</p>
      <pre class="code made-key" dir="ltr" tabIndex={0}>
        {made.key}
      </pre>
      {made.expiresAt !== undefined && <p class="small faint">{t("keyUntil", { date: momentText(made.expiresAt) })}</p>}
      <div class="row end">
        <button type="button" class="plain" onClick={() => void copy()}>
          <Icon name={isCopied.value ? "check" : "copy"} /> {t(isCopied.value ? "copied" : "copyKey")}
        </button>
        <button type="button" onClick={onClose}>
          {t("close")}
        </button>
      </div>
    </Dialog>
  );
}

import { Argument, type Command } from "commander";
import { examples } from "./help-text.ts";
import type { Context } from "./open.ts";

/** Words that may follow a command: its commands, the choices of its argument, and its flags. */
interface Words {
  /** Commands before it, with blanks between them; `""` for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly flags: readonly string[];
  readonly choices: readonly string[];
  /** Flags behind which a value stands, with its choices; none where it is free, such as a file. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

const shells = { bash: completeBash, zsh: completeZsh, fish: completeFish };

/** `ibid completion` with its help: a script for the shell, made of the commands and flags that there are. */
export function addCompletionCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  program
    .command("completion")
    .summary("print a script that completes commands, flags and their choices in a shell")
    .description("Print a script that completes commands, flags and their choices in a shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(shells)))
    .addHelpText(
      "after",
      examples([
        "ibid completion bash > ~/.local/share/bash-completion/completions/ibid",
        'ibid completion zsh > "${fpath[1]}/_ibid"',
        "ibid completion fish > ~/.config/fish/completions/ibid.fish",
      ]),
    )
    .action((shell: keyof typeof shells) => {
      context.stdout.write(shells[shell](readWords(program)));
      done(0);
    });
}

function readWords(program: Command): readonly Words[] {
  const walk = (command: Command, path: string): readonly Words[] => {
    const own = command === program ? [] : command.options.filter(({ hidden }) => !hidden);
    const values = new Map<string, readonly string[]>();
    const flags = new Set<string>();
    for (const { long, short, required, argChoices = [] } of [...own, ...program.options]) {
      for (const flag of [long, short]) {
        if (flag === undefined || flags.has(flag)) continue;
        flags.add(flag);
        if (required) values.set(flag, argChoices);
      }
    }
    flags.add("--help");
    const choices = command.registeredArguments[0]?.argChoices ?? [];
    const commands = command.commands.map((each) => ({ name: each.name(), about: each.summary() }));
    const below = command.commands.flatMap((each) => walk(each, `${path} ${each.name()}`.trim()));
    return [{ path, commands, flags: [...flags], choices, values }, ...below];
  };
  const [first, ...others] = walk(program, "");
  const { commands } = first!;
  const help = { name: "help", about: "list the options of a command" };
  return [
    { ...first!, commands: [...commands, help] },
    { path: "help", commands, flags: [], choices: [], values: new Map() },
    ...others,
  ];
}

/** Flags with the same choices, in the pattern of a shell's `case`: `--mode)`, `--kb|--config)`. */
function groupFlags(values: Words["values"]): readonly (readonly [pattern: string, choices: string])[] {
  const groups = Map.groupBy(values, ([, choices]) => choices.join(" "));
  return Array.from(groups, ([choices, flags]) => [flags.map(([flag]) => flag).join("|"), choices] as const);
}

/** The command so far: words without a dash, as long as they name commands. Behind a flag with a value stands a choice or a file. */
function completeBash(words: readonly Words[]): string {
  const cases = words.map(({ path, commands, flags, choices, values }) => {
    const own = [...commands.map(({ name }) => name), ...choices, ...flags].join(" ");
    const behind = groupFlags(values).map(([pattern, given]) => `${pattern}) words="${given}" ;;`);
    return `    "${path}") words="${own}"; case "$before" in ${behind.join(" ")} esac ;;`;
  });
  return `# bash completion of ibid
_ibid() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" path="" word words
  # Bash takes the = of --mode=x as a word of its own.
  [ "$current" != = ] || current=""
  [ "$before" != = ] || before="\${COMP_WORDS[COMP_CWORD-2]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
${words
  .filter(({ path }) => path !== "")
  .map(({ path }) => `      "${path}") path="${path}" ;;`)
  .join("\n")}
    esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [ "\${#COMPREPLY[@]}" -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$current")
}
complete -o filenames -F _ibid ibid
`;
}

/** A file of this name in a folder of `fpath` is the function itself; a script that is sourced registers it. */
function completeZsh(words: readonly Words[]): string {
  const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const cases = words.map(({ path, commands, flags, choices, values }) => {
    const named = commands.map(({ name, about }) => quote(`${name}:${about}`)).join(" ");
    const behind = groupFlags(values).map(([pattern, given]) => `(${pattern}) value=1 choices=(${given}) ;;`);
    const own = `commands=(${named}) flags=(${flags.join(" ")}) choices=(${choices.join(" ")})`;
    return `    ("${path}") ${own}; case "$before" in ${behind.join(" ")} esac ;;`;
  });
  const known = words.filter(({ path }) => path !== "").map(({ path }) => `      ("${path}") at="${path}" ;;`);
  return `#compdef ibid
# zsh completion of ibid
_ibid() {
  local at="" word before="\${words[CURRENT-1]}" value=""
  local -a commands flags choices
  if [[ "$PREFIX" == --*=* ]]; then before="\${PREFIX%%=*}"; compset -P '*='; fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
${known.join("\n")}
    esac
  done
  case "$at" in
${cases.join("\n")}
  esac
  if [[ -z "$value" && "$PREFIX" == -* ]]; then
    compadd -- $flags
  elif (( $#choices )); then
    compadd -- $choices
  elif [[ -n "$value" ]]; then
    _files
  elif (( $#commands )); then
    _describe command commands
  else
    _files
  fi
}
if [[ "$funcstack[1]" == _ibid ]]; then _ibid "$@"; else compdef _ibid ibid; fi
`;
}

function completeFish(words: readonly Words[]): string {
  const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = words.flatMap(({ path, commands, flags, choices, values }) => {
    const where = `__ibid_at "${path}"`;
    return [
      ...commands.map(({ name, about }) => `complete -c ibid -f -n ${quote(where)} -a ${name} -d ${quote(about)}`),
      ...(choices.length === 0 ? [] : [`complete -c ibid -f -n ${quote(where)} -a ${quote(choices.join(" "))}`]),
      ...flags.flatMap((flag) => {
        if (!flag.startsWith("--")) return [];
        const given = values.get(flag);
        const value = given === undefined ? "" : given.length === 0 ? " -r" : ` -x -a ${quote(given.join(" "))}`;
        return [`complete -c ibid -n ${quote(where)} -l ${flag.slice(2)}${value}`];
      }),
    ];
  });
  const known = words.filter(({ path }) => path !== "").map(({ path }) => ` "${path}"`);
  return `# fish completion of ibid
function __ibid_at
  set -l at
  for word in (commandline -opc)[2..]
    switch (string join ' ' -- $at $word)
      case${known.join("")}
        set -a at $word
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join("\n")}
`;
}

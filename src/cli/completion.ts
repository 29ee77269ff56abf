import { type Command, InvalidArgumentError } from "commander";
import { examples } from "./help-text.ts";
import type { Context } from "./open.ts";

/** Words that may follow a command: its commands and its flags. */
interface Words {
  /** Commands before it, with blanks between them; `""` for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly flags: readonly string[];
}

const shells = { bash: completeBash, zsh: completeZsh, fish: completeFish };

/** `ibid completion` with its help: a script for the shell, made of the commands and flags that there are. */
export function addCompletionCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  program
    .command("completion")
    .summary("print a script that completes commands and flags in a shell")
    .description("Print a script that completes commands and flags in a shell.")
    .argument("<shell>", "bash, zsh or fish", (shell: string) => {
      if (Object.hasOwn(shells, shell)) return shell;
      throw new InvalidArgumentError("It must be bash, zsh or fish.");
    })
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
  const ofAll = program.options.flatMap(({ long, short }) => [long, short]);
  const walk = (command: Command, path: string): readonly Words[] => {
    const own =
      command === program
        ? []
        : command.options.filter(({ hidden }) => !hidden).flatMap(({ long, short }) => [long, short]);
    const flags = [...new Set([...own, ...ofAll, "--help"])].filter((flag) => flag !== undefined);
    const commands = command.commands.map((each) => ({ name: each.name(), about: each.summary() }));
    const below = command.commands.flatMap((each) => walk(each, `${path} ${each.name()}`.trim()));
    return [{ path, commands, flags }, ...below];
  };
  return walk(program, "");
}

/** The command so far: words without a dash, as long as they name commands. */
function completeBash(words: readonly Words[]): string {
  const cases = words.map(
    ({ path, commands, flags }) =>
      `    "${path}") words="${[...commands.map(({ name }) => name), ...flags].join(" ")}" ;;`,
  );
  return `# bash completion of ibid
_ibid() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" word words
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
  const cases = words.map(({ path, commands, flags }) => {
    const named = commands.map(({ name, about }) => quote(`${name}:${about}`)).join(" ");
    return `    ("${path}") commands=(${named}) flags=(${flags.join(" ")}) ;;`;
  });
  const known = words.filter(({ path }) => path !== "").map(({ path }) => `      ("${path}") at="${path}" ;;`);
  return `#compdef ibid
# zsh completion of ibid
_ibid() {
  local at="" word
  local -a commands flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
${known.join("\n")}
    esac
  done
  case "$at" in
${cases.join("\n")}
  esac
  if [[ "$PREFIX" == -* ]]; then
    compadd -- $flags
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
  const lines = words.flatMap(({ path, commands, flags }) => {
    const [parent, child] = path.split(" ");
    const names = commands.map(({ name }) => name).join(" ");
    const where =
      path === ""
        ? "__fish_use_subcommand"
        : [
            `__fish_seen_subcommand_from ${parent}`,
            ...(child === undefined ? [] : [`__fish_seen_subcommand_from ${child}`]),
          ].join("; and ");
    const free = names === "" || path === "" ? where : `${where}; and not __fish_seen_subcommand_from ${names}`;
    return [
      ...commands.map(({ name, about }) => `complete -c ibid -f -n ${quote(free)} -a ${name} -d ${quote(about)}`),
      ...flags.flatMap((flag) =>
        flag.startsWith("--") ? [`complete -c ibid -n ${quote(where)} -l ${flag.slice(2)}`] : [],
      ),
    ];
  });
  return `# fish completion of ibid\n${lines.join("\n")}\n`;
}

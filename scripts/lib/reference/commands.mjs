// docs/reference/commands.md: the table of commands as pages of a reference.
import { cell, code, table } from "./table.mjs";

/**
 * @param specs the table of commands. @param t translator of the page's language. @param words of the page.
 * @param exits name → number. @param codesOf error codes by exit code. @param slash help of slash commands, one a line.
 */
export function commandsPage({ specs, t, words, exits, codesOf, slash }) {
  const sections = specs.map((spec) => section(spec, specs, t, words));
  const exitRows = Object.entries(exits).map(([name, number]) => [
    code(String(number)),
    cell(words.exits[name] ?? missing(`exit code ${name}`)),
    (codesOf.get(number) ?? []).map(code).join(", "),
  ]);
  const global = ["--json", "--lang <tag>", "--home <dir>", "--workspace <dir>", "-h, --help", "-V, --version"];
  const texts = ["cli.json", "cli.lang", "cli.home", "cli.workspace", "cli.help", "cli.version"];
  return `${words.intro}
## ${words.globalOptions}

${table(
  [words.option, words.does],
  global.map((flags, index) => [code(flags), cell(t(texts[index]))]),
)}

## ${words.exitCodes}

${table([words.exit, words.meaning, words.errors], exitRows)}

## ${words.inAChat}

${words.aboutChat}

${table([words.command, words.does], slash.map(slashRow))}

${sections.join("\n")}`;
}

function section(spec, specs, t, words) {
  const { name, args, about, options = [], examples = [], load } = spec;
  const typed = ["margay", name].filter(Boolean).join(" ");
  const others = name === "" ? [] : specs.filter((one) => one.name.startsWith(`${name} `));
  const usage =
    load === undefined ? `${typed} …` : [typed, args, options.length > 0 && "[options]"].filter(Boolean).join(" ");
  const parts = [
    `## ${typed}`,
    `${capital(t(about))}${words.stop}`,
    `${words.usage}${words.colon}${code(usage)}`,
    others.length > 0 &&
      `${words.holds}${words.colon}${others.map((one) => `[${one.name}](#${`margay ${one.name}`.replaceAll(" ", "-")})`).join(words.comma)}`,
    options.length > 0 &&
      table(
        [words.option, words.does],
        options.map((option) => optionRow(option, t, words)),
      ),
    examples.length > 0 && `${words.examples}${words.colon}\n\n${examples.map((one) => `- ${code(one)}`).join("\n")}`,
  ];
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

function optionRow({ flags, about, repeat, choices }, t, words) {
  const notes = [
    t(about),
    choices !== undefined && words.oneOf(choices.map(code).join(words.comma)),
    repeat === true && words.repeat,
  ];
  return [code(flags), cell(notes.filter(Boolean).join(words.between))];
}

/** `/stop [number] – what it does`. */
function slashRow(line) {
  const [name = "", does = ""] = line.split(/ ?(?:–|——|：) ?/, 2);
  return [code(name), cell(does)];
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function missing(what) {
  throw new Error(`scripts/lib/reference has no words for ${what}.`);
}

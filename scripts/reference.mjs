// docs/reference/ and docs/troubleshooting.md, in both languages, are generated from the code:
// `node scripts/reference.mjs --write`. Without the flag they are compared.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { commandsPage } from "./lib/reference/commands.mjs";
import { eventsPage, recordsIn } from "./lib/reference/events.mjs";
import { routesPage } from "./lib/reference/routes.mjs";
import { toolsPage } from "./lib/reference/tools.mjs";
import { troubleshootingPage } from "./lib/reference/troubleshooting.mjs";
import { en } from "./lib/reference/words.en.mjs";
import { zh } from "./lib/reference/words.zh.mjs";
import { onNode24, root } from "./lib/toolchain.mjs";

const CONDITION = "--conditions=margay-source"; // the tables import @margay/core: its sources, not a build of them

if (!process.execArgv.includes(CONDITION)) {
  await onNode24(import.meta.url);
  const { status } = spawnSync(process.execPath, [CONDITION, ...process.argv.slice(1)], { stdio: "inherit" });
  process.exit(status ?? 1);
}
const { RuntimeError } = await import("../packages/core/src/lib/errors/errors.ts");
const { ERROR_CODES } = await import("../packages/core/src/lib/errors/error-table.ts");
const { ERROR_TEXTS } = await import("../packages/app/src/texts/errors.zh.ts");
const { translator } = await import("../packages/app/src/texts/translate.ts");

/** What the pages are made of, in no language. */
const facts = await allFacts();
for (const [language, words] of [
  ["en", en],
  ["zh-CN", zh],
])
  for (const [name, page] of Object.entries(pagesIn(language, words))) settle(`docs/${name}${words.suffix}.md`, page);

function pagesIn(language, words) {
  const errors =
    language === "en"
      ? Object.fromEntries(Object.entries(ERROR_CODES).map(([code, { cause, remedy }]) => [code, `${cause} ${remedy}`]))
      : ERROR_TEXTS;
  const slash = facts.slash[language];
  return {
    "reference/commands": commandsPage({ ...facts, t: translator(language), slash, words: words.commands }),
    "reference/tools": toolsPage({ ...facts, words: words.tools }),
    "reference/routes": routesPage({ ...facts, titles: facts.titles[language], words: words.routes }),
    "reference/events": eventsPage({ ...facts, words: words.events }),
    troubleshooting: troubleshootingPage({ ...facts, errors, words: words.troubleshooting }),
  };
}

async function allFacts() {
  const [{ COMMANDS }, { EXIT }, { exitCode }, { ROUTES }, { openApiDocument }, { frameSchema }] = await Promise.all([
    import("../packages/app/src/features.ts"),
    import("../packages/app/src/host/cli/command.ts"),
    import("../packages/app/src/host/cli/failure.ts"),
    import("../packages/app/src/compose/routes.ts"),
    import("../packages/app/src/host/api/openapi.ts"),
    import("../packages/app/src/features/system/frame-schema.ts"),
  ]);
  const [{ TABLE }, { DOCTOR_CHECKS }, { PROBLEMS }, titlesEn, titlesZh, { AUDIT_EVENTS }, { TOPICS }] =
    await Promise.all([
      import("../packages/core/src/policy/table.ts"),
      import("../packages/app/src/compose/doctor-checks.ts"),
      import("../packages/app/src/host/api/problem.ts"),
      import("../packages/app/src/host/api/titles.en.ts"),
      import("../packages/app/src/host/api/titles.zh.ts"),
      import("../packages/app/src/host/audit-events.ts"),
      import("../packages/app/src/protocol/frames.ts"),
    ]);
  const codesOf = Map.groupBy(Object.keys(ERROR_CODES), (code) => exitCode(new RuntimeError(code, "")));
  return {
    specs: COMMANDS,
    exits: EXIT,
    codesOf: new Map([...codesOf].map(([number, codes]) => [number, number === EXIT.failed ? [] : codes])),
    slash: await slashCommands(),
    tools: await tools(),
    rows: TABLE,
    document: openApiDocument(ROUTES),
    problems: PROBLEMS,
    titles: { en: titlesEn.TITLES, "zh-CN": titlesZh.TITLES_ZH },
    frames: JSON.parse(JSON.stringify(frameSchema())),
    records: recordsIn(readFileSync(join(root, "packages/core/src/contract/record.ts"), "utf8")),
    audit: AUDIT_EVENTS,
    topics: TOPICS,
    checks: [...Object.keys(DOCTOR_CHECKS.machine), ...Object.keys(DOCTOR_CHECKS.configured)],
  };
}

async function slashCommands() {
  const [english, chinese] = await Promise.all([
    import("../packages/core/src/control/texts.en.ts"),
    import("../packages/core/src/control/texts.zh.ts"),
  ]);
  const linesOf = (module) => {
    const [texts] = Object.values(module);
    return ["help", "help.group", "help.agent", "help.shared"].flatMap((key) => texts[key].split("\n"));
  };
  return { en: linesOf(english), "zh-CN": linesOf(chinese) };
}

/** As a fresh home has them, with `extract`. */
async function tools() {
  const { openApp } = await import("../packages/app/src/embed.ts");
  const { schemaOf } = await import("../packages/app/src/host/api/tool-definition.ts");
  const { classesOf } = await import("./lib/reference/classes.mjs");
  const home = mkdtempSync(join(tmpdir(), "margay-reference-"));
  try {
    const app = await openApp({ home, config: { policy: { strictUnattended: true } } });
    const list = app.inside.tools.list().map((tool) => ({
      ...{ name: tool.name, description: tool.description, effect: tool.effect },
      ...{ schema: JSON.parse(JSON.stringify(schemaOf(tool))), classes: classesOf(tool) },
    }));
    await app[Symbol.asyncDispose]();
    return list;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function settle(name, page) {
  const file = join(root, name);
  if (process.argv.includes("--write")) writeFileSync(file, page);
  else if (!existsSync(file) || readFileSync(file, "utf8") !== page) {
    process.stderr.write(`${name} is not what the code says. Run: node scripts/reference.mjs --write\n`);
    process.exitCode = 1;
  }
}

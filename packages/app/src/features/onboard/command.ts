/** `margay onboard`: the first set-up, and every later one. */
import { RuntimeError } from "@margay/core";
import { findModels, keyVendors } from "../../models/find-models.ts";
import { freshHome } from "../../config/fresh.ts";
import { readConfigFile } from "../../config/load.ts";
import { saveChanges } from "../../config/save.ts";
import { setApart } from "../../config/secrets/secrets.ts";
import { onboardTexts, type OnboardTexts } from "./texts.ts";
import { EXIT, type Cli, type Run } from "../../host/cli/command.ts";
import { askSetup, foundHint, type Decided } from "./dialogue.ts";
import { defaultsOf, plannedChanges } from "./plan.ts";
import { clackPrompts, type Prompts } from "../../host/cli/prompts.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";

export const runOnboard: Run = async (cli, input) => {
  if (input.options["yes"] === true) return takeFound(cli);
  if (!cli.terminal.inputIsTerminal || !cli.terminal.outputIsTerminal || cli.json)
    throw new RuntimeError("usage.wrong", onboardTexts(cli.language, cli.command)("noTerminal"));
  const prompts = await clackPrompts(cli.signal);
  const texts = await setUp(cli, prompts, false);
  if (texts === undefined) {
    prompts.outro(onboardTexts(cli.language, cli.command)("kept"));
    return EXIT.interrupted;
  }
  prompts.outro(texts("next"));
  return EXIT.done;
};

/** Before the very first chat: one question, Enter goes on. Later starts pass. @returns false when the person cancelled. */
export async function firstSetUp(cli: Cli): Promise<boolean> {
  if (readConfigFile(cli.places.config, cli.t).hash !== undefined) return true;
  const prompts = await clackPrompts(cli.signal);
  return (await setUp(cli, prompts, true)) !== undefined;
}

async function setUp(cli: Cli, prompts: Prompts, brief: boolean): Promise<OnboardTexts | undefined> {
  const { places } = cli;
  const file = readConfigFile(places.config, cli.t);
  const decided = await askSetup({
    prompts,
    raw: file.raw,
    exists: file.hash !== undefined,
    path: places.config,
    machineLanguage: cli.language,
    command: cli.command,
    find: () => findModels(cli.environment.env),
    vendors: keyVendors(),
    nameKey: (path, key) => setApart(places, path, key),
    brief,
  });
  if (!decided) return undefined;
  const texts = onboardTexts(decided.choices.language, cli.command);
  // Validated as a whole: a model or folder that is no good is refused with the key's name, and nothing is written.
  const fresh = decided.changes.length > 0 ? freshHome(file, decided.changes) : [];
  if (decided.changes.length > 0)
    saveChanges(decided.changes, {
      path: places.config,
      env: cli.environment.env,
      t: cli.t,
      seen: file,
    });
  // Before a first chat one line is enough: the chat itself says that it is in practice mode.
  for (const line of outcome(cli, decided, texts).slice(0, brief ? 1 : undefined)) prompts.note(line);
  if (fresh.length > 0) prompts.note(texts("budgets"));
  return texts;
}

async function takeFound(cli: Cli): Promise<number> {
  const { places, t } = cli;
  const file = readConfigFile(places.config, t);
  const found = await findModels(cli.environment.env);
  const choices = defaultsOf(file.raw, found, cli.language);
  const texts = onboardTexts(choices.language, cli.command);
  const planned = plannedChanges(file.raw, choices);
  const fresh = planned.length > 0 ? freshHome(file, planned) : [];
  if (planned.length > 0) saveChanges(planned, { path: places.config, env: cli.environment.env, t, seen: file });
  if (cli.json)
    cli.terminal.out(
      jsonLine({
        config: places.config,
        language: choices.language,
        model: choices.model ?? null,
        practice: choices.model === undefined,
        workspace: choices.workspace,
        written: [...planned, ...fresh].map((change) => change.path),
      }),
    );
  else
    for (const line of [
      ...outcome(cli, { choices, changes: planned, found }, texts),
      ...(fresh.length > 0 ? [texts("budgets")] : []),
    ])
      cli.terminal.out(`${safeText(line)}\n`);
  return EXIT.done;
}

function outcome(cli: Cli, { choices, changes, found }: Decided, texts: OnboardTexts): readonly string[] {
  const path = cli.places.config;
  const source = found.find((each) => each.model === choices.model);
  return [
    texts(changes.length > 0 ? "saved" : "same", { path }),
    ...(choices.model === undefined
      ? [texts("nextPractice")]
      : source
        ? [`${choices.model}: ${foundHint(source, texts)}`]
        : [choices.model]),
    ...(source?.from.type === "key" ? [texts("keyInEnvironment", { name: source.from.name })] : []),
  ];
}

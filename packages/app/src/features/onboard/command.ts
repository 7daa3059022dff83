/** `margay onboard`: the first set-up, and every later one. */
import { RuntimeError } from "@margay/core";
import { findModels, keyVendors } from "../../models/find-models.ts";
import { vendorOfKey } from "../../models/key-pages.ts";
import { freshHome } from "../../config/fresh.ts";
import { readConfigFile } from "../../config/load.ts";
import { saveChanges } from "../../config/save.ts";
import { setApart } from "../../config/secrets/secrets.ts";
import { onboardTexts, type OnboardTexts } from "./texts.ts";
import { EXIT, type Cli, type Run } from "../../host/cli/command.ts";
import { foundHint } from "./ask-model.ts";
import type { Trying } from "./choice.ts";
import { askSetup, type Decided } from "./dialogue.ts";
import { offerHomes, type Homes } from "./homes.ts";
import { defaultsOf, plannedChanges } from "./plan.ts";
import { createTrying } from "./trying.ts";
import { clackPrompts, type Prompts } from "../../host/cli/prompts.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";

/** @param homes What importing lends. */
export function runOnboard(homes: Homes): Run {
  return async (cli, input) => {
    if (input.options["yes"] === true) return takeFound(cli);
    if (!cli.terminal.inputIsTerminal || !cli.terminal.outputIsTerminal || cli.json)
      throw new RuntimeError("usage.wrong", onboardTexts(cli.language, cli.command)("noTerminal"));
    const prompts = await clackPrompts(cli.signal);
    const texts = await setUp(cli, { prompts, homes, brief: false });
    if (texts === undefined) {
      prompts.outro(onboardTexts(cli.language, cli.command)("kept"));
      return EXIT.interrupted;
    }
    prompts.outro(texts("next"));
    return EXIT.done;
  };
}

/** Before the very first chat: one question, Enter goes on. Later starts pass. @returns false when the person cancelled. */
export async function firstSetUp(cli: Cli, homes: Homes): Promise<boolean> {
  if (readConfigFile(cli.places, cli.t).hash !== undefined) return true;
  const prompts = await clackPrompts(cli.signal);
  return (await setUp(cli, { prompts, homes, brief: true })) !== undefined;
}

interface SetUp {
  readonly prompts: Prompts;
  readonly homes: Homes;
  readonly brief: boolean;
}

/** @returns the texts in the chosen language; undefined when the person cancelled. */
async function setUp(cli: Cli, { prompts, homes, brief }: SetUp): Promise<OnboardTexts | undefined> {
  const { places } = cli;
  const own = onboardTexts(cli.language, cli.command);
  prompts.intro(own("welcome"));
  const isNew = readConfigFile(places, cli.t).hash === undefined;
  const took = isNew ? await offerHomes(cli, { prompts, texts: own, homes }) : false;
  if (took === undefined) return undefined;
  const file = readConfigFile(places, cli.t);
  const trying = createTrying(cli, own);
  if (took && (await answersAlready(file.raw["model"], { prompts, texts: own, trying }))) return own;
  const decided = await askSetup({
    prompts,
    raw: file.raw,
    exists: !isNew,
    path: places.config,
    machineLanguage: cli.language,
    command: cli.command,
    find: () => findModels(cli.environment.env),
    vendors: keyVendors(),
    vendorOfKey,
    trying,
    nameKey: (path, key) => setApart(places, path, key),
    brief,
  });
  if (!decided) return undefined;
  const texts = onboardTexts(decided.choices.language, cli.command);
  // Validated as a whole: a model or folder that is no good is refused with the key's name, and nothing is written.
  const fresh = decided.changes.length > 0 ? freshHome(file, decided.changes) : [];
  if (decided.changes.length > 0)
    await saveChanges(decided.changes, {
      places,
      env: cli.environment.env,
      t: cli.t,
      seen: file,
    });
  // Before a first chat one line is enough: the chat itself says that it is in practice mode.
  for (const line of outcome(cli, decided, texts).slice(0, brief ? 1 : undefined)) prompts.note(line);
  if (fresh.length > 0) prompts.note(texts("budgets"));
  return texts;
}

/** What was taken over brought a model: then nothing has to be asked any more. */
async function answersAlready(
  model: unknown,
  { prompts, texts, trying }: Pick<SetUp, "prompts"> & { readonly texts: OnboardTexts; readonly trying: Trying },
): Promise<boolean> {
  if (typeof model !== "string") return false;
  const result = await prompts.wait(texts("testing", { model }), trying.test({ model }));
  if ("ms" in result) {
    prompts.note(texts("works", { model, seconds: (result.ms / 1000).toFixed(1) }));
    return true;
  }
  prompts.note(texts("fails", { model, why: result.why }));
  return false;
}

async function takeFound(cli: Cli): Promise<number> {
  const { places, t } = cli;
  const file = readConfigFile(places, t);
  const found = await findModels(cli.environment.env);
  const choices = defaultsOf(file.raw, found, cli.language);
  const texts = onboardTexts(choices.language, cli.command);
  const planned = plannedChanges(file.raw, choices);
  const fresh = planned.length > 0 ? freshHome(file, planned) : [];
  if (planned.length > 0) await saveChanges(planned, { places, env: cli.environment.env, t, seen: file });
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

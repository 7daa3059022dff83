/** The set-up as a conversation: language, model, workspace; asks before it changes a file that exists. */
import type { JsonObject } from "@margay/core";
import type { Change } from "../../config/save.ts";
import type { FoundModel, KnownVendor } from "../../models/find-models.ts";
import { onboardTexts, type OnboardTexts } from "./texts.ts";
import type { Language } from "../../texts/text.ts";
import { defaultsOf, isModelRef, plannedChanges, type Choices, type PlannedChange } from "./plan.ts";
import type { Option, Prompts } from "../../host/cli/prompts.ts";
import { LANGUAGE_NAMES, LANGUAGE_QUESTION } from "../../texts/languages.zh.ts";

export interface Dialogue {
  readonly prompts: Prompts;
  readonly raw: JsonObject;
  /** The file exists: changes are shown and confirmed. */
  readonly exists: boolean;
  readonly path: string;
  readonly machineLanguage: Language;
  /** What the person types for `margay`. */
  readonly command: string;
  readonly find: () => Promise<readonly FoundModel[]>;
  readonly vendors: readonly KnownVendor[];
  /** What the configuration says instead of a pasted key, and the file of the key; written with the other changes. */
  readonly nameKey: (path: string, key: string) => Pick<Change, "value" | "secrets">;
  /** Only the model is asked for: a first start should reach the chat with one key. */
  readonly brief: boolean;
}
export interface Decided {
  readonly choices: Choices;
  readonly changes: readonly PlannedChange[];
  readonly found: readonly FoundModel[];
}

const PRACTICE = "practice";
const PASTE = "paste";
const OTHER = "other";

/** @returns undefined when the person cancelled. */
export async function askSetup(dialogue: Dialogue): Promise<Decided | undefined> {
  const { prompts, raw, machineLanguage, brief } = dialogue;
  const before = defaultsOf(raw, [], machineLanguage);
  prompts.intro(onboardTexts(before.language)("welcome"));
  const language = brief ? before.language : await askLanguage(prompts, before.language);
  if (language === undefined) return undefined;
  const texts = onboardTexts(language, dialogue.command);
  const found = await prompts.wait(texts("looking"), dialogue.find());
  const model = await askModel(dialogue, found, texts);
  if (model === undefined) return undefined;
  const workspace = brief
    ? before.workspace
    : await prompts.text(texts("workspace"), before.workspace, (text) =>
        text.trim() === "" ? texts("workspaceEmpty") : undefined,
      );
  if (workspace === undefined) return undefined;
  const choices: Choices = { language, workspace: workspace.trim(), ...model };
  const changes = plannedChanges(raw, choices);
  if (dialogue.exists && changes.length > 0) {
    prompts.note(
      [texts("changes", { path: dialogue.path }), ...changes.map((change) => changeLine(change, texts))].join("\n"),
    );
    if ((await prompts.confirm(texts("confirm"))) !== true) return undefined;
  }
  return { choices, changes, found };
}

async function askLanguage(prompts: Prompts, initial: Language): Promise<Language | undefined> {
  const options: readonly Option[] = [
    { value: "en", label: LANGUAGE_NAMES.en },
    { value: "zh-CN", label: LANGUAGE_NAMES["zh-CN"] },
  ];
  const chosen = await prompts.select(LANGUAGE_QUESTION[initial], options, initial);
  return chosen === "en" || chosen === "zh-CN" ? chosen : undefined;
}

type ModelChoice = Pick<Choices, "model" | "key">;

async function askModel(
  dialogue: Dialogue,
  found: readonly FoundModel[],
  texts: OnboardTexts,
): Promise<ModelChoice | undefined> {
  const { prompts, raw, vendors } = dialogue;
  const configured = typeof raw["model"] === "string" ? raw["model"] : undefined;
  const options: readonly Option[] = [
    ...(configured === undefined ? [] : [{ value: configured, label: texts("keep", { model: configured }) }]),
    ...found
      .filter(({ model }) => model !== configured)
      .map((each) => ({ value: each.model, label: each.model, hint: foundHint(each, texts) })),
    { value: PRACTICE, label: texts("practice"), hint: texts("practiceHint") },
    ...(vendors.length > 0 ? [{ value: PASTE, label: texts("paste") }] : []),
    { value: OTHER, label: texts("other") },
  ];
  const none = configured === undefined && found.length === 0;
  const chosen = await prompts.select(texts(none ? "modelNone" : "model"), options, options[0]?.value ?? PRACTICE);
  if (chosen === undefined) return undefined;
  if (chosen === PRACTICE) return { model: undefined };
  if (chosen === PASTE) return askKey(dialogue, texts);
  if (chosen !== OTHER) return { model: chosen };
  const typed = await prompts.text(texts("modelName"), "", (text) =>
    isModelRef(text) ? undefined : texts("modelShape"),
  );
  return typed === undefined ? undefined : { model: typed.trim() };
}

async function askKey({ prompts, vendors, nameKey }: Dialogue, texts: OnboardTexts): Promise<ModelChoice | undefined> {
  const id = await prompts.select(
    texts("vendor"),
    vendors.map((vendor) => ({ value: vendor.id, label: vendor.name })),
    vendors[0]?.id ?? "",
  );
  const vendor = vendors.find((each) => each.id === id);
  if (!vendor) return undefined;
  const key = await prompts.password(texts("key", { vendor: vendor.name }), (text) =>
    text.trim() === "" ? texts("keyEmpty") : undefined,
  );
  if (key === undefined) return undefined;
  const model = await prompts.text(texts("modelName"), `${vendor.id}/${vendor.defaultModel}`, (text) =>
    isModelRef(text) ? undefined : texts("modelShape"),
  );
  if (model === undefined) return undefined;
  const path = `providers.${vendor.id}.apiKey`;
  return { model: model.trim(), key: { path, ...nameKey(path, key.trim()) } };
}

export function foundHint({ from }: FoundModel, texts: OnboardTexts): string {
  return from.type === "key" ? texts("fromKey", { name: from.name }) : texts("fromServer", { url: from.url });
}

function changeLine(change: PlannedChange, texts: OnboardTexts): string {
  const show = (value: PlannedChange["value"]): string =>
    value === undefined || value === null
      ? texts("unset")
      : change.secret
        ? texts("secret")
        : typeof value === "string"
          ? value
          : JSON.stringify(value);
  return texts("change", { key: change.path, from: show(change.before), to: show(change.value) });
}

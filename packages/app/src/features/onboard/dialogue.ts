/** The set-up as a conversation: language, model, workspace; asks before it changes a file that exists. */
import type { JsonObject } from "@margay/core";
import type { Change } from "../../config/save.ts";
import type { FoundModel, KnownVendor } from "../../models/find-models.ts";
import { onboardTexts, type OnboardTexts } from "./texts.ts";
import type { Language } from "../../texts/text.ts";
import { askModel } from "./ask-model.ts";
import type { ModelChoice, Trying } from "./choice.ts";
import { defaultsOf, plannedChanges, type Choices, type PlannedChange } from "./plan.ts";
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
  readonly vendorOfKey: (key: string) => string | undefined;
  readonly trying: Trying;
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

/** @returns undefined when the person cancelled. */
export async function askSetup(dialogue: Dialogue): Promise<Decided | undefined> {
  const { prompts, raw, machineLanguage, brief, vendors, vendorOfKey, trying } = dialogue;
  const before = defaultsOf(raw, [], machineLanguage);
  const language = brief ? before.language : await askLanguage(prompts, before.language);
  if (language === undefined) return undefined;
  const texts = onboardTexts(language, dialogue.command);
  const found = await prompts.wait(texts("looking"), dialogue.find());
  const configured = typeof raw["model"] === "string" ? raw["model"] : undefined;
  const choice = await askModel({ prompts, texts, configured, found, vendors, vendorOfKey, trying });
  if (choice === undefined) return undefined;
  const workspace = brief
    ? before.workspace
    : await prompts.text(texts("workspace"), before.workspace, (text) =>
        text.trim() === "" ? texts("workspaceEmpty") : undefined,
      );
  if (workspace === undefined) return undefined;
  const provider = providerOf(choice, dialogue.nameKey);
  const choices: Choices = {
    language,
    workspace: workspace.trim(),
    model: choice.model,
    ...(provider.length > 0 && { provider }),
  };
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

function providerOf(
  { model = "", key, baseUrl }: ModelChoice,
  nameKey: Dialogue["nameKey"],
): NonNullable<Choices["provider"]> {
  const place = `providers.${model.slice(0, model.indexOf("/"))}`;
  const path = `${place}.apiKey`;
  return [
    ...(baseUrl === undefined
      ? []
      : [
          { path: `${place}.api`, value: "openai-chat", secret: false },
          { path: `${place}.baseUrl`, value: baseUrl, secret: false },
        ]),
    ...(key === undefined ? [] : [{ path, ...nameKey(path, key), secret: true }]),
  ];
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

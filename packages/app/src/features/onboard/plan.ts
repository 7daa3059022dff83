/** What the first set-up would write, and what of it is new. Pure. */
import type { Json, JsonObject } from "@margay/core";
import type { Change } from "../../config/save.ts";
import { valueAt } from "../../config/value-at.ts";
import type { FoundModel } from "../../models/find-models.ts";
import type { Language } from "../../texts/text.ts";

export interface Choices {
  readonly language: Language;
  /** Undefined: practice mode. */
  readonly model: string | undefined;
  readonly workspace: string;
  /** What else is written of its provider: a pasted key as its reference and the file that will hold it, an address. */
  readonly provider?: readonly (Change & { readonly secret: boolean })[];
}
export interface Defaults {
  readonly language: Language;
  readonly model: string | undefined;
  readonly workspace: string;
}

export const DEFAULT_WORKSPACE = "workspace";

/** What Enter takes: what is configured, else what was found, else practice mode. */
export function defaultsOf(raw: JsonObject, found: readonly FoundModel[], machine: Language): Defaults {
  const { language, model, workspace } = raw;
  return {
    language: language === "en" || language === "zh-CN" ? language : machine,
    model: typeof model === "string" ? model : found[0]?.model,
    workspace: typeof workspace === "string" ? workspace : DEFAULT_WORKSPACE,
  };
}

export interface PlannedChange extends Change {
  readonly before: Json | undefined;
  readonly secret: boolean;
}

/** Only what differs from the file: a second run with the same answers writes nothing. */
export function plannedChanges(raw: JsonObject, choices: Choices): readonly PlannedChange[] {
  const wanted: readonly Omit<PlannedChange, "before">[] = [
    { path: "language", value: choices.language, secret: false },
    { path: "model", value: choices.model, secret: false },
    {
      path: "workspace",
      value: choices.workspace === DEFAULT_WORKSPACE && raw["workspace"] === undefined ? undefined : choices.workspace,
      secret: false,
    },
    ...(choices.provider ?? []),
  ];
  return wanted
    .map((change) => ({ ...change, before: valueAt(raw, change.path.split(".")) }))
    .filter((change) => change.secrets !== undefined || change.value !== (change.before ?? undefined));
}

/** `provider/model`, both parts there. */
export function isModelRef(text: string): boolean {
  return /^[A-Za-z0-9_.-]+\/\S+$/.test(text.trim());
}

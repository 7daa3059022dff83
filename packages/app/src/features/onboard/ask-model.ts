/** Which model answers: found, by a key, at an address, or none. What was chosen is tested before it counts. */
import type { FoundModel, KnownVendor } from "../../models/find-models.ts";
import type { Option, Prompts } from "../../host/cli/prompts.ts";
import type { ModelChoice, Trying } from "./choice.ts";
import { isModelRef } from "./plan.ts";
import type { OnboardTexts } from "./texts.ts";

export interface ModelQuestion {
  readonly prompts: Prompts;
  readonly texts: OnboardTexts;
  /** As configured now. */
  readonly configured: string | undefined;
  readonly found: readonly FoundModel[];
  readonly vendors: readonly KnownVendor[];
  /** Whose keys begin like this one. */
  readonly vendorOfKey: (key: string) => string | undefined;
  readonly trying: Trying;
}

const PRACTICE = "practice";
const PASTE = "paste";
const ADDRESS = "address";
const OTHER = "other";
const ANYWAY = "anyway";
/** The id that an address gets: it speaks as OpenAI's does. */
const CUSTOM = "custom";

/** @returns undefined when the person cancelled. */
export async function askModel(question: ModelQuestion): Promise<ModelChoice | undefined> {
  let failed: ModelChoice | undefined;
  for (;;) {
    const chosen = await choose(question, failed);
    if (chosen === undefined || chosen === failed) return chosen;
    if (chosen.model === undefined || chosen.model === question.configured) return chosen;
    const { prompts, texts, trying } = question;
    const { model } = chosen;
    const result = await prompts.wait(texts("testing", { model }), trying.test({ ...chosen, model }));
    if ("ms" in result) {
      prompts.note(texts("works", { model, seconds: (result.ms / 1000).toFixed(1) }));
      return chosen;
    }
    prompts.note(texts("fails", { model, why: result.why }));
    failed = chosen;
  }
}

/** @param failed What did not answer just now: it can be taken all the same, as a server that is off for now. */
async function choose(question: ModelQuestion, failed: ModelChoice | undefined): Promise<ModelChoice | undefined> {
  const { prompts, texts, configured, found } = question;
  const options: readonly Option[] = [
    ...(configured === undefined ? [] : [{ value: configured, label: texts("keep", { model: configured }) }]),
    ...found
      .filter(({ model }) => model !== configured)
      .map((each) => ({ value: each.model, label: each.model, hint: foundHint(each, texts) })),
    { value: PASTE, label: texts("paste") },
    { value: ADDRESS, label: texts("address"), hint: texts("addressHint") },
    { value: PRACTICE, label: texts("practice"), hint: texts("practiceHint") },
    { value: OTHER, label: texts("other") },
    ...(failed?.model === undefined ? [] : [{ value: ANYWAY, label: texts("anyway", { model: failed.model }) }]),
  ];
  const none = configured === undefined && found.length === 0;
  const first = none ? PRACTICE : (options[0]?.value ?? PRACTICE);
  const chosen = await prompts.select(texts(none ? "modelNone" : "model"), options, first);
  switch (chosen) {
    case undefined:
      return undefined;
    case PRACTICE:
      return { model: undefined };
    case PASTE:
      return askKey(question);
    case ADDRESS:
      return askAddress(question);
    case ANYWAY:
      return failed;
    case OTHER: {
      const typed = await prompts.text(texts("modelName"), "", (text) =>
        isModelRef(text) ? undefined : texts("modelShape"),
      );
      return typed === undefined ? undefined : { model: typed.trim() };
    }
    default:
      return { model: chosen };
  }
}

/** The key first: most say whose they are. Its vendor's usual model is tested, and can be changed at any time. */
async function askKey({ prompts, texts, vendors, vendorOfKey }: ModelQuestion): Promise<ModelChoice | undefined> {
  const key = (
    await prompts.password(texts("key"), (text) => (text.trim() === "" ? texts("keyEmpty") : undefined))
  )?.trim();
  if (key === undefined) return undefined;
  const owner = vendorOfKey(key);
  const id =
    vendors.find((vendor) => vendor.id === owner)?.id ??
    (await prompts.select(
      texts("vendor"),
      vendors.map((vendor) => ({ value: vendor.id, label: vendor.name })),
      vendors[0]?.id ?? "",
    ));
  const vendor = vendors.find((each) => each.id === id);
  if (vendor === undefined) return undefined;
  prompts.note(texts("keyOf", { vendor: vendor.name }));
  return { model: `${vendor.id}/${vendor.defaultModel}`, key };
}

/** A server's own list is chosen from; its key is asked for where it asks for one. */
async function askAddress({ prompts, texts, trying }: ModelQuestion): Promise<ModelChoice | undefined> {
  const typed = await prompts.text(texts("addressWhich"), "", (text) =>
    URL.canParse(asAddress(text)) ? undefined : texts("addressShape"),
  );
  if (typed === undefined) return undefined;
  const baseUrl = asAddress(typed);
  let key: string | undefined;
  let listed = await prompts.wait(texts("looking"), trying.list(baseUrl, undefined));
  if (listed.status === "key") {
    key = (
      await prompts.password(texts("keyAsked"), (text) => (text.trim() === "" ? texts("keyEmpty") : undefined))
    )?.trim();
    if (key === undefined) return undefined;
    listed = await prompts.wait(texts("looking"), trying.list(baseUrl, key));
  }
  const more = { baseUrl, ...(key !== undefined && { key }) };
  const names = listed.status === "models" ? listed.models : [];
  if (listed.status === "fault") prompts.note(listed.why);
  const [only] = names;
  const name =
    names.length === 1
      ? only
      : names.length > 1
        ? await prompts.select(
            texts("modelAt"),
            names.map((value) => ({ value, label: value })),
            only ?? "",
          )
        : await prompts.text(texts("modelAt"), "", (text) =>
            /^\S+$/.test(text.trim()) ? undefined : texts("modelEmpty"),
          );
  return name === undefined ? undefined : { model: `${CUSTOM}/${name.trim()}`, ...more };
}

/** As people type it: http on this machine and the local network, https everywhere else. */
export function asAddress(typed: string): string {
  const text = typed.trim();
  if (text === "" || /^https?:\/\//i.test(text)) return text;
  const host = URL.parse(`http://${text}`)?.hostname ?? "";
  const isLocal =
    /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(host) ||
    !host.includes(".") ||
    /\.(local|lan|internal)$/.test(host);
  return `${isLocal ? "http" : "https"}://${text}`;
}

export function foundHint({ from }: FoundModel, texts: OnboardTexts): string {
  return from.type === "key" ? texts("fromKey", { name: from.name }) : texts("fromServer", { url: from.url });
}

/** Faults of the configuration in words: key path, value, what was expected, nearest known key. */
import type { Translate } from "../texts/translate.ts";
import type { Fault, Kind } from "./key.ts";

const MAX_VALUE_CHARS = 80;

export function faultText(fault: Fault, t: Translate): string {
  return `${fault.path}: ${problemText(fault, t)}`;
}

function problemText(fault: Fault, t: Translate): string {
  const value = fault.value === undefined ? t("fault.hidden") : shorten(JSON.stringify(fault.value));
  const expected = fault.expected === undefined ? t("kind.section") : kindText(fault.expected, t);
  switch (fault.problem) {
    case "unknown":
      return t("fault.unknown") + (fault.hint === undefined ? "" : t("config.didYouMean", { name: fault.hint }));
    case "required":
      return t("fault.required");
    case "quote":
      return t("fault.quote", { value, quoted: `"${value}"` });
    case "name":
    case "person":
      return t(`fault.${fault.problem}`, { value });
    case "twice":
      return t("fault.twice", { value, other: fault.hint ?? "" });
    case "agent":
    case "bound":
    case "notFor":
      return t(`fault.${fault.problem}`, { value, other: fault.hint ?? "" });
    case "agentName":
    case "channelName":
    case "nobody":
      return t(`fault.${fault.problem}`, { value });
    case "approvalsHere":
      return fault.hint === undefined ? t("fault.approvalsNobody") : t("fault.approvalsHere", { who: fault.hint });
    case "binding":
      return t("fault.binding");
    case "variable":
      return t("fault.variable", { name: fault.hint ?? "" });
    case "file":
    case "vault":
    case "keyring":
      return t(`fault.${fault.problem}`, { name: fault.hint ?? "" });
    case "type":
      return t("fault.type", { value, expected });
    case "value":
      return t("fault.value", { value, expected });
    case "range":
      return t("fault.range", { value, expected });
  }
}

/** What a key takes, for messages and for `config show`. */
export function kindText(kind: Kind, t: Translate): string {
  switch (kind.is) {
    case "integer":
    case "number":
      return t(`kind.${kind.is}`, { min: kind.min, max: kind.max });
    case "choice":
      return t("kind.choice", { choices: kind.of.join(", ") });
    case "text":
      return kind.max === undefined ? t("kind.text") : t("kind.textMax", { max: kind.max });
    case "either":
      return kind.of.map((one) => kindText(one, t)).join(t("kind.or"));
    case "list":
      return t("kind.list", { of: kindText(kind.of, t) });
    case "map":
      return t("kind.map", { of: kindText(kind.of, t) });
    case "object":
      return t("kind.object", { fields: Object.keys(kind.fields).join(", ") });
    case "boolean":
    case "id":
    case "identity":
    case "nothing":
    case "time-zone":
    case "path":
    case "url":
    case "origin":
    case "host":
    case "destination":
    case "repository":
    case "model":
    case "regex":
    case "variable":
    case "hours":
    case "network":
    case "chat":
    case "emoji":
    case "any":
      return t(`kind.${kind.is}`);
  }
}

function shorten(text: string): string {
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text;
}

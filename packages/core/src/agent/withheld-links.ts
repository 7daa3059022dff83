/** Links that a model put together itself after it had read what strangers wrote may carry away what it knows. Pure. */
import type { SessionState } from "../contract/session.ts";
import { isUntrusted } from "../lib/labels.ts";
import { says } from "../lib/said.ts";
import { withheldLink } from "./texts.ts";

/** Markdown's own form, with the text that is shown; a bare address; one without a scheme that carries a query. */
const MARKDOWN = /!?\[([^\]\n]{0,500})\]\(\s*<?((?:https?:)?\/\/[^\s)>]{1,4000})>?[^)\n]{0,500}\)/gi;
const BARE = /https?:\/\/[^\s<>"'`|\\^{}[\]（）【】「」，。；、]{1,4000}/gi;
const QUERY = /(?<![\w/.@:-])(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}\/[^\s<>"'`?]{0,2000}\?[^\s<>"'`]{1,4000}/gi;
const TRAILING = /[.,:;!?)\]*_]+$/;

/**
 * What a person is told. An address stays when it stands word for word in what the operator wrote or a tool returned:
 * following it tells its server nothing else. What a page shows beside it is the page's affair.
 */
export function withholdLinks(text: string, state: SessionState, language: "en" | "zh-CN"): string {
  if (!isUntrusted(state.label) || !/\/\/|\?/.test(text)) return text;
  const sources = state.messages.flatMap((message) =>
    message.role === "user" || message.role === "tool"
      ? message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
      : [],
  );
  const isKnown = (address: string): boolean => sources.some((source) => says(source, address));
  const withheld = (address: string): string => withheldLink(language, hostOf(address));
  const bare = (found: string): string => {
    const end = TRAILING.exec(found)?.[0] ?? "";
    const address = found.slice(0, found.length - end.length);
    return isKnown(address) ? found : withheld(address) + end;
  };
  return text
    .replaceAll(MARKDOWN, (found, shown: string, address: string) =>
      isKnown(address) ? found : `${shown} ${withheld(address)}`.trimStart(),
    )
    .replaceAll(BARE, bare)
    .replaceAll(QUERY, bare);
}

function hostOf(address: string): string {
  return /^(?:https?:)?(?:\/\/)?(?:[^/?#@]*@)?([^/?#:\s]{1,100})/i.exec(address)?.[1] ?? "?";
}

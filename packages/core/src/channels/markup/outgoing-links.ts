/** Links that a model put together itself after it had read what strangers wrote may carry away what it knows. Pure. */
import type { SessionState } from "../../contract/session.ts";
import { isUntrusted } from "../../lib/labels.ts";
import { says } from "../../lib/whole-word.ts";
import { speaker } from "../../lib/texts.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

const say = speaker(en, zh);

/** Markdown's own form, with the text that is shown, whatever its target looks like. */
const MARKDOWN = /!?\[([^\]\n]{0,500})\]\(\s{0,20}<?([^\s)>]{1,4000})>?(?:\s[^)\n]{0,500})?\)/gi;
/** Readers repair slashes that are missing or turned around. */
const BARE = /https?:[/\\]*[^\s<>"'`|^{}[\]（）【】「」，。；、]{1,4000}/gi;
const NO_SCHEME = /(?<![\w:/\\.])[/\\]{2}[\w-]{1,63}\.[^\s<>"'`]{1,4000}/g;
/** Chat programs make a link of any host: of one with a path, and of a name with a part before the domain. */
const HOST = String.raw`(?<![\w/.@:\\-])(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}`;
const WITH_PATH = new RegExp(String.raw`${HOST}(?::\d{1,5})?[/?][^\s<>"'` + "`" + String.raw`]{1,4000}`, "gi");
const SUBDOMAIN = /(?<![\w/.@:\\-])(?:[a-z0-9-]{1,63}\.){2,8}[a-z]{2,24}(?![\w-]|\.\w)/gi;
/** The end of a file's name is none of a host, for people who read about files. */
const FILE =
  /\.(?:[cm]?[jt]sx?|json[lc5]?|md|txt|log|csv|ya?ml|toml|ini|html?|css|py|rs|go|java|rb|php|sh|sql|xml|svg|png|jpe?g|gif|webp|pdf|zip|tar|gz|bak|lock|map|conf)$/i;
const TRAILING = /[.,:;!?)\]*_]+$/;

/**
 * What a person is told. An address stays when it stands word for word in what the operator wrote or a tool returned:
 * following it tells its server nothing else. What a page shows beside it is the page's affair.
 */
export function hideLinks(text: string, state: SessionState, language: "en" | "zh-CN"): string {
  if (!isUntrusted(state.label) || !/[/\\:?]|\.\w/.test(text)) return text;
  const sources = state.messages.flatMap((message) =>
    message.role === "user" || message.role === "tool"
      ? message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
      : [],
  );
  const isKnown = (address: string): boolean => sources.some((source) => says(source, address));
  const withheld = (address: string): string => say(language)("withheld", { host: hostOf(address) });
  const bare = (found: string): string => {
    const end = TRAILING.exec(found)?.[0] ?? "";
    const address = found.slice(0, found.length - end.length);
    return isKnown(address) ? found : withheld(address) + end;
  };
  return text
    .replaceAll(MARKDOWN, (found, shown: string, address: string) =>
      isKnown(address) || isRelative(address) ? found : `${shown} ${withheld(address)}`.trimStart(),
    )
    .replaceAll(BARE, bare)
    .replaceAll(NO_SCHEME, bare)
    .replaceAll(WITH_PATH, (found) => (isFile(found) ? found : bare(found)))
    .replaceAll(SUBDOMAIN, (found) => (FILE.test(found) ? found : bare(found)));
}

/** `notes.md/part` and `src.d/file.ts` are no hosts. */
function isFile(found: string): boolean {
  return FILE.test(/^[^/?:]*/.exec(found)?.[0] ?? "");
}

/** A file beside this one, or a place in this text: what no reader takes for another host. */
function isRelative(address: string): boolean {
  return /^(?:\.{0,2}\/)?(?:[\p{L}\p{N}_-][\p{L}\p{N}_.-]*(?:\/[\p{L}\p{N}_-][\p{L}\p{N}_.-]*)*\/?)?(?:#[\p{L}\p{N}_.-]*)?$/u.test(
    address,
  );
}

/** As it is shown. Names before the domain may be what was to be carried away. */
function hostOf(address: string): string {
  const host = /^(?:[a-z]+:)?[/\\]*(?:[^/\\?#@]*@)?([^/\\?#:\s]{1,253})/i.exec(address)?.[1] ?? "?";
  return /^[\d.]+$/.test(host) ? host : host.split(".").slice(-2).join(".");
}

/** Pictures that were pasted into a message: `[picture 1]` stands for each in the text, and they leave with it. */
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentPart } from "@margay/core";
import type { MediaPart } from "@margay/core/internal";
import type { ChatApp } from "../chat-app.ts";

export interface Images {
  /** @returns what stands for it in the text; undefined: it is no picture. */
  add(bytes: Uint8Array, name: string): Promise<string | undefined>;
  /** The text, and those pictures whose place in it is still there. */
  take(text: string): readonly ContentPart[];
}

export function createImages(put: ChatApp["put"], label: (number: number) => string): Images {
  let held: readonly { readonly place: string; readonly part: MediaPart }[] = [];
  let count = 0;
  return {
    add: async (bytes, name) => {
      const mediaType = imageType(bytes);
      if (mediaType === undefined || put === undefined) return undefined;
      const blob = await put(bytes);
      count += 1;
      const place = `[${label(count)}]`;
      held = [...held, { place, part: { type: "media", mediaType, blob, name } }];
      return place;
    },
    take: (text) => {
      const taken = held.filter(({ place }) => text.includes(place));
      held = held.filter((one) => !taken.includes(one));
      return [{ type: "text", text }, ...taken.map(({ part }) => part)];
    },
  };
}

/** By its first bytes, not by its name. */
export function imageType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\u0089PNG\r\n")) return "image/png";
  if (head.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (head.startsWith("GIF8")) return "image/gif";
  return head.startsWith("RIFF") && head.slice(8) === "WEBP" ? "image/webp" : undefined;
}

const MAX_PASTED_BYTES = 25_000_000;

/** A paste that is the path of a picture: what terminals make of a file that is dropped on them. */
export function pastedImage(data: string): { readonly bytes: Uint8Array; readonly name: string } | undefined {
  const pasted = /^\x1b\[200~([^\n]{1,4096})\x1b\[201~$/.exec(data)?.[1]?.trim();
  if (pasted === undefined || !/\.(?:png|jpe?g|gif|webp)['"]?$/i.test(pasted)) return undefined;
  const path = pasted.startsWith("file://")
    ? fileURLToPath(pasted)
    : pasted.replace(/^(['"])(.*)\1$/, "$2").replaceAll(/\\(.)/g, "$1");
  try {
    if (statSync(path).size > MAX_PASTED_BYTES) return undefined;
    const bytes = readFileSync(path);
    return imageType(bytes) === undefined ? undefined : { bytes, name: basename(path) };
  } catch {
    return undefined; // no file of that name: it is text
  }
}

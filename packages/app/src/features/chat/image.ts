/** A picture given on the command line → blob and media part. Its type comes from its bytes, not from its name. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { RuntimeError } from "@margay/core";
import { type MediaPart } from "@margay/core/internal";
import type { Cli } from "../../host/cli/command.ts";
import type { AnswerSource } from "./answer-source.ts";

export async function imagePart(path: string, source: Pick<AnswerSource, "put">, cli: Cli): Promise<MediaPart> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new RuntimeError("usage.wrong", cli.t("usage.noFile", { path }), { cause: error });
  }
  const mediaType = typeOf(bytes);
  if (mediaType === undefined) throw new RuntimeError("usage.wrong", cli.t("usage.notImage", { path }));
  return { type: "media", mediaType, blob: await source.put(bytes), name: basename(path) };
}

function typeOf(bytes: Buffer): string | undefined {
  const head = bytes.toString("latin1", 0, 12);
  if (head.startsWith("\u0089PNG\r\n")) return "image/png";
  if (head.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (head.startsWith("GIF8")) return "image/gif";
  return head.startsWith("RIFF") && head.slice(8) === "WEBP" ? "image/webp" : undefined;
}

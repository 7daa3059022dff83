/** A picture given on the command line → blob and media part. Its type comes from its bytes, not from its name. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { RuntimeError } from "@margay/core";
import { type MediaPart } from "@margay/core/internal";
import { imageType } from "../../host/tui/input/images.ts";
import type { Cli } from "../../host/cli/command.ts";
import type { AnswerSource } from "./answer-source.ts";

export async function imagePart(path: string, source: Pick<AnswerSource, "put">, cli: Cli): Promise<MediaPart> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new RuntimeError("usage.wrong", cli.t("usage.noFile", { path }), { cause: error });
  }
  const mediaType = imageType(bytes);
  if (mediaType === undefined) throw new RuntimeError("usage.wrong", cli.t("usage.notImage", { path }));
  return { type: "media", mediaType, blob: await source.put(bytes), name: basename(path) };
}

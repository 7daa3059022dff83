/** Files of ours: brought to Feishu, and sent as what it shows best. */
import type { ChannelHost, MediaPart } from "@margay/core/plugin";
import type { Api } from "./api.ts";
import type { Message } from "./cards.ts";
import { Refusal } from "./errors.ts";
import { isRecord, needed } from "./json.ts";

type Kind = "image" | "audio" | "media" | "file";

const IMAGE_BYTES = 10 * 1024 * 1024;
const IMAGES = /^image\/(?:jpeg|png|webp|gif|bmp|tiff|heic|x-icon)$/;
/** What Feishu names of them; all others are a stream. */
const ENDINGS: Readonly<Record<string, string>> = {
  pdf: "pdf",
  doc: "doc",
  docx: "doc",
  xls: "xls",
  xlsx: "xls",
  ppt: "ppt",
  pptx: "ppt",
};

/** As what it is, else as a file. @throws Refusal, NoAnswer; the reason of the signal. */
export async function upload(
  part: MediaPart,
  { api, host }: { readonly api: Api; readonly host: ChannelHost },
  signal: AbortSignal,
): Promise<Message> {
  const file = new File([await host.media.open(part)], nameOf(part), { type: part.mediaType });
  const kind = kindOf(part);
  try {
    return await uploadAs(kind, file, api, signal);
  } catch (error) {
    if (kind === "file" || !isOfFile(error)) throw error;
    return uploadAs("file", file, api, signal);
  }
}

/** Feishu does not take this file: it is empty, too large, none of its kinds. */
export function isOfFile(error: unknown): error is Refusal {
  return error instanceof Refusal && (error.status === 413 || (error.code >= 234_000 && error.code < 235_000));
}

async function uploadAs(kind: Kind, file: File, api: Api, signal: AbortSignal): Promise<Message> {
  const form = new FormData();
  const isImage = kind === "image";
  if (isImage) form.set("image_type", "message");
  else {
    form.set("file_type", typeOf(kind, file.name));
    form.set("file_name", file.name);
  }
  form.set(isImage ? "image" : "file", file, file.name);
  const body = await api.call("POST", isImage ? "/im/v1/images" : "/im/v1/files", { signal, form });
  const data = isRecord(body["data"]) ? body["data"] : {};
  const name = isImage ? "image_key" : "file_key";
  return { msg_type: kind, content: { [name]: needed(data[name], name) } };
}

function kindOf({ mediaType, blob }: MediaPart): Kind {
  const type = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (IMAGES.test(type)) return blob.bytes > IMAGE_BYTES ? "file" : "image";
  if (type === "audio/ogg" || type === "audio/opus") return "audio";
  return type === "video/mp4" ? "media" : "file";
}

function typeOf(kind: Kind, name: string): string {
  if (kind === "audio") return "opus";
  if (kind === "media") return "mp4";
  return ENDINGS[name.split(".").at(-1)?.toLowerCase() ?? ""] ?? "stream";
}

function nameOf({ name, mediaType }: MediaPart): string {
  const own = (name ?? "").replaceAll(/[\p{Cc}"\\/]+/gu, "_").trim();
  if (own !== "") return own;
  const ending = /^(?:image|audio|video|application|text)\/([a-z0-9]+)/i.exec(mediaType)?.[1] ?? "bin";
  return `file.${ending.toLowerCase()}`;
}

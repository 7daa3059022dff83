/** What a server answers → text and bytes. Everything in it is a stranger's. */
import { type ContentPart, type ToolResult } from "@margay/core";
import { asUntrusted, type BlobStore, isRecord } from "@margay/core/internal";
import { withLeftBehind } from "@margay/core/internal";
import type { CallResult, Content } from "./types.ts";

const MAX_BYTES = 10 * 1024 * 1024;
/** What every model that sees anything sees. */
const IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const MAX_LISTED = 500;

/** The blocks of a result, and its structured content unless a text block says the same. */
export function contentOf(result: {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
}): readonly Content[] {
  const blocks = Array.isArray(result.content) ? result.content.flatMap(blockOf) : [];
  if (result.structuredContent === undefined) return blocks;
  const text = JSON.stringify(result.structuredContent);
  const only = onlyText(result.structuredContent);
  const said = blocks.some((block) => block.type === "text" && (block.text === only || sameJson(block.text, text)));
  return said ? blocks : [...blocks, { type: "text", text }];
}

/** One line each. */
export function textOfList(
  items: readonly { readonly name: string; readonly about: readonly (string | undefined)[] }[],
): string {
  if (items.length === 0) return "(none)";
  const lines = items.slice(0, MAX_LISTED).map(({ name, about }) => {
    const words = about.filter((one) => one !== undefined && one !== "").join(": ");
    return words === "" ? name : `${name}: ${words}`;
  });
  return [...lines, ...(items.length > MAX_LISTED ? [`(${items.length - MAX_LISTED} more)`] : [])].join("\n");
}

/** As the loop takes it: bytes in the blob store, marked as a stranger's. */
export async function toolResult(result: CallResult, blobs: BlobStore): Promise<ToolResult> {
  const parts: ContentPart[] = [];
  for (const item of result.content) {
    if (item.type === "text") parts.push(item);
    else parts.push(await mediaPart(item, blobs));
  }
  const told = asUntrusted({ parts, ...(result.isError && { isError: true }) });
  return result.left === undefined ? told : withLeftBehind(told, result.left, []);
}

async function mediaPart(item: Extract<Content, { type: "bytes" }>, blobs: BlobStore): Promise<ContentPart> {
  const bytes = Buffer.from(item.base64, "base64");
  const what = `${item.mediaType}${item.uri === undefined ? "" : ` of ${item.uri}`}`;
  if (bytes.length === 0) return { type: "text", text: `[empty: ${what}]` };
  if (!IMAGES.has(item.mediaType) || bytes.length > MAX_BYTES)
    return { type: "text", text: `[left out, ${bytes.length} bytes: ${what}]` };
  return { type: "media", mediaType: item.mediaType, blob: await blobs.put(bytes) };
}

function blockOf(block: unknown): readonly Content[] {
  if (!isRecord(block)) return [];
  switch (block["type"]) {
    case "text":
      return [{ type: "text", text: String(block["text"] ?? "") }];
    case "image":
    case "audio":
      return [bytesOf(block["mimeType"], block["data"])];
    case "resource":
      return isRecord(block["resource"]) ? [resourceOf(block["resource"])] : [];
    case "resource_link":
      return [{ type: "text", text: `[resource ${String(block["name"] ?? "")}: ${String(block["uri"] ?? "")}]` }];
    default:
      return [{ type: "text", text: `[left out: content of kind ${String(block["type"])}]` }];
  }
}

function resourceOf(resource: Readonly<Record<string, unknown>>): Content {
  const uri = String(resource["uri"] ?? "");
  if (typeof resource["text"] === "string") return { type: "text", text: `[${uri}]\n${resource["text"]}` };
  return { ...bytesOf(resource["mimeType"], resource["blob"]), uri };
}

function bytesOf(mediaType: unknown, data: unknown): Extract<Content, { type: "bytes" }> {
  const isType = typeof mediaType === "string" && /^[\w.+-]+\/[\w.+-]+$/.test(mediaType);
  return {
    type: "bytes",
    mediaType: isType ? mediaType : "application/octet-stream",
    base64: typeof data === "string" ? data : "",
  };
}

/** `{content: "…"}`: servers wrap the text they have sent as a block. */
function onlyText(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const [only, ...rest] = Object.values(value);
  return rest.length === 0 && typeof only === "string" ? only : undefined;
}

function sameJson(text: string, json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false; // prose
  }
}

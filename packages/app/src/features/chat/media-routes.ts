/** Uploads, and the bytes of what was uploaded, received or made. */
import { INERT_HEADERS } from "../../host/http/headers.ts";
import { mediaTypeOf } from "../../host/api/media-type.ts";
import { Problem } from "../../host/api/problem.ts";
import { route, type Route } from "../../host/api/route.ts";
import { UploadQuery, UploadSchema } from "../../protocol/media.ts";

export const MEDIA_ROUTES: readonly Route[] = [
  route({
    id: "upload",
    method: "POST",
    path: "/uploads",
    scope: "chat",
    summary: "Stores a file for a message; its type is what its bytes say.",
    query: UploadQuery,
    rawBody: "upload",
    status: 201,
    response: UploadSchema,
    errors: ["attachment.unsupported"],
    handle: async ({ services, query, body }) => {
      const bytes: unknown = body; // a raw body has no schema
      if (!(bytes instanceof Uint8Array) || bytes.length === 0)
        throw new Problem("attachment.unsupported", "The upload is empty.");
      const { type, width, height } = mediaTypeOf(bytes);
      const blob = await services.app.agent.blobs.put(bytes);
      return {
        body: {
          blob,
          mediaType: type,
          name: nameOf(query.name),
          bytes: bytes.length,
          ...(width !== undefined && { width }),
          ...(height !== undefined && { height }),
        },
      };
    },
  }),
  route({
    id: "readMedia",
    method: "GET",
    path: "/media/{sha256}",
    scope: "read",
    summary: "The bytes; only pictures and sound may be shown in a page.",
    errors: ["media.not-found"],
    handle: async ({ services, params, headers }) => {
      const sha256 = params["sha256"] ?? "";
      const etag = `"${sha256}"`;
      const bytes = await services.app.agent.blobs.read({ sha256, bytes: 0 }).catch(() => {
        throw new Problem("media.not-found", `There is no media ${sha256.slice(0, 64)}.`);
      });
      const common = { ...INERT_HEADERS, etag, "cache-control": "private, max-age=31536000, immutable" };
      if (headers["if-none-match"]?.includes(etag) === true) return { status: 304, headers: common };
      const { type, inline } = mediaTypeOf(bytes);
      return {
        raw: bytes,
        headers: {
          ...common,
          "content-type": type === "text/plain" ? "text/plain; charset=utf-8" : type,
          "content-disposition": inline ? "inline" : "attachment",
        },
      };
    },
  }),
];

/** The last part of what was a path, without what a file name may not hold. */
function nameOf(given: string | undefined): string {
  const name = (given ?? "").split(/[\\/]/).at(-1) ?? "";
  const clean = name.replaceAll(/[\p{Cc}\p{Cf}]/gu, "").trim();
  return clean === "" || clean === "." || clean === ".." ? "file" : clean;
}

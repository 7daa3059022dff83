/** Uploads, and the bytes of what was uploaded, received or made. */
import { INERT_HEADERS } from "../../host/http/headers.ts";
import { mediaTypeOf } from "../../host/api/media-type.ts";
import { Problem } from "../../host/api/problem.ts";
import { route, type Route } from "../../host/api/route.ts";
import { findSession, personOf } from "../../host/sessions/access.ts";
import { fileFor, keepUpload } from "../../host/sessions/attachments.ts";
import { MediaQuery, UploadQuery, UploadSchema } from "../../protocol/media.ts";

export const MEDIA_ROUTES: readonly Route[] = [
  route({
    id: "upload",
    method: "POST",
    path: "/uploads",
    scope: "chat",
    ofPersons: true,
    summary: "Stores a file for a message; its type is what its bytes say.",
    query: UploadQuery,
    rawBody: "upload",
    status: 201,
    response: UploadSchema,
    errors: ["attachment.unsupported"],
    handle: async (call) => {
      const { query, body } = call;
      const bytes: unknown = body; // a raw body has no schema
      if (!(bytes instanceof Uint8Array) || bytes.length === 0)
        throw new Problem("attachment.unsupported", "The upload is empty.");
      const { type, width, height } = mediaTypeOf(bytes);
      const blob = await keepUpload(call, bytes);
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
    ofPersons: true,
    summary:
      "The bytes; only pictures and sound may be shown in a page. A person has what a conversation of theirs shows.",
    query: MediaQuery,
    errors: ["media.not-found", "session.not-found"],
    handle: async (call) => {
      const { params, query, headers } = call;
      const sha256 = params["sha256"] ?? "";
      const etag = `"${sha256}"`;
      const session = query.session === undefined ? undefined : await findSession(call, query.session, ALSO_DELETED);
      const bytes = await fileFor(call, sha256, session);
      if (bytes === undefined) throw new Problem("media.not-found", `There is no media ${sha256.slice(0, 64)}.`);
      // Whoever logs in at the same browser next is asked who they are.
      const kept = personOf(call) === undefined ? "max-age=31536000, immutable" : "no-cache";
      const common = { ...INERT_HEADERS, etag, "cache-control": `private, ${kept}` };
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

/** Until they are gone for good. */
const ALSO_DELETED = { trashed: true } as const;

/** The last part of what was a path, without what a file name may not hold. */
function nameOf(given: string | undefined): string {
  const name = (given ?? "").split(/[\\/]/).at(-1) ?? "";
  const clean = name.replaceAll(/[\p{Cc}\p{Cf}]/gu, "").trim();
  return clean === "" || clean === "." || clean === ".." ? "file" : clean;
}

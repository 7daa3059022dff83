/** Files of the workspace, to look at: inside only, no link leads out, and nothing in them can act in the browser. */
import { lstatSync } from "node:fs";
import { mediaTypeOf } from "../../host/api/media-type.ts";
import { route, type Route } from "../../host/api/route.ts";
import { PathQuery, TreeSchema } from "../../protocol/media.ts";
import { orNotFound, readWorkspaceFile, workspaceFiles } from "../../host/api/workspace-file.ts";
import { holdingsFor } from "../../host/sessions/access.ts";
import { INERT_HEADERS } from "../../host/http/headers.ts";

const MAX_ENTRIES = 1000;

export const WORKSPACE_ROUTES: readonly Route[] = [
  route({
    id: "listWorkspace",
    method: "GET",
    path: "/workspace/tree",
    scope: "read",
    ofPersons: true,
    summary: "What a directory of the workspace holds; of a person's own.",
    query: PathQuery,
    response: TreeSchema,
    errors: ["media.not-found"],
    handle: async (call) => {
      const { services, query } = call;
      return orNotFound(query.path, async () => {
        const files = workspaceFiles(services, holdingsFor(call));
        const path = query.path === "" ? "." : query.path;
        const directory = await files.directory(path);
        const entries: { name: string; kind: "file" | "directory"; bytes?: number; modifiedAt: number }[] = [];
        let more = false;
        try {
          for await (const { name, kind } of files.list(path)) {
            if (kind !== "file" && kind !== "directory") continue; // links and pipes are not followed
            if (entries.length >= MAX_ENTRIES) {
              more = true;
              break;
            }
            const stat = lstatSync(directory.at(name), { throwIfNoEntry: false });
            if (stat === undefined) continue; // gone meanwhile
            entries.push({
              name,
              kind,
              ...(kind === "file" && { bytes: stat.size }),
              modifiedAt: Math.floor(stat.mtimeMs),
            });
          }
        } finally {
          directory.close();
        }
        const sorted = entries.toSorted((a, b) =>
          a.kind === b.kind ? (a.name < b.name ? -1 : 1) : a.kind === "directory" ? -1 : 1,
        );
        return { body: { path: query.path, entries: sorted, more } };
      });
    },
  }),
  route({
    id: "readWorkspaceFile",
    method: "GET",
    path: "/workspace/content",
    scope: "read",
    ofPersons: true,
    summary: "One file of the workspace, as a download; of a person's own.",
    query: PathQuery,
    errors: ["media.not-found", "request.too-large"],
    handle: async (call) => {
      const { services, query } = call;
      const bytes = await readWorkspaceFile(services, holdingsFor(call), query.path);
      const { type } = mediaTypeOf(bytes);
      const name = encodeURIComponent(query.path.split("/").at(-1) ?? "file");
      return {
        raw: bytes,
        headers: {
          ...INERT_HEADERS,
          "content-type": type === "text/plain" ? "text/plain; charset=utf-8" : "application/octet-stream",
          "content-disposition": `attachment; filename*=UTF-8''${name}`,
        },
      };
    },
  }),
];

/** Files of the workspace that count as strangers' text: to look at, and to vouch for by their content. */
import { route, type Route } from "../../host/api/route.ts";
import { DisownBody, LabelsQuery, LabelsSchema, TrustAnswer, TrustBody } from "./schema.ts";

/** Contents are read to be hashed. */
const TIMEOUT_MS = 120_000;

export const LABEL_ROUTES: readonly Route[] = [
  route({
    id: "listLabels",
    method: "GET",
    path: "/workspace/labels",
    scope: "read",
    summary: "Files of the workspace that count as strangers' text.",
    query: LabelsQuery,
    response: LabelsSchema,
    timeoutMs: TIMEOUT_MS,
    handle: async ({ services, query: { path } }) => ({
      body: { items: await services.app.inside.labelledFiles.list(path === undefined ? [] : [path]) },
    }),
  }),
  route({
    id: "trustFiles",
    method: "POST",
    path: "/workspace/labels/trust",
    scope: "admin",
    summary: "Vouches for files as they were shown; what has changed since is left.",
    body: TrustBody,
    response: TrustAnswer,
    timeoutMs: TIMEOUT_MS,
    handle: async ({ services, body, credential }) => ({
      body: {
        items: await services.app.inside.labelledFiles.endorse(
          body.map(({ path, sha256 }) => ({ path, ...(sha256 !== undefined && { sha256 }) })),
          credential?.name ?? "unknown",
        ),
      },
    }),
  }),
  route({
    id: "disownRepositories",
    method: "POST",
    path: "/workspace/labels/disown",
    scope: "admin",
    summary: "Repositories with an origin are a stranger's: nobody is asked again.",
    body: DisownBody,
    response: TrustAnswer,
    handle: async ({ services, body }) => ({
      body: { items: await services.app.inside.labelledFiles.disown(body) },
    }),
  }),
];

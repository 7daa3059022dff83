/** What commands left behind and was kept aside: to look at, to take back as it was shown, to remove. No tool does either. */
import type { Credential } from "../../host/auth/credential.ts";
import { Problem } from "../../host/api/problem.ts";
import { route, type Route } from "../../host/api/route.ts";
import { QuarantineSchema, RestoreAnswer, RestoreBody } from "./schema.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

/** Contents are read to be hashed. */
const TIMEOUT_MS = 120_000;

export const QUARANTINE_ROUTES: readonly Route[] = [
  route({
    id: "listQuarantine",
    method: "GET",
    path: "/quarantine",
    scope: "read",
    summary: "What commands left behind that would run by itself and was kept aside, with what is in it.",
    response: QuarantineSchema,
    timeoutMs: TIMEOUT_MS,
    handle: async ({ services }) => ({ body: { items: await services.app.inside.quarantine.list() } }),
  }),
  route({
    id: "restoreQuarantined",
    method: "POST",
    path: "/quarantine/{id}/restore",
    scope: "admin",
    summary: "Puts back what was shown; what has changed since is left, and so is a place that is taken by now.",
    body: RestoreBody,
    response: RestoreAnswer,
    errors: ["quarantine.not-found", "quarantine.changed", "quarantine.occupied"],
    timeoutMs: TIMEOUT_MS,
    handle: async ({ services, params, body, credential }) => {
      const id = params["id"] ?? "";
      const done = await services.app.inside.quarantine.takeBack(id, body.sha256, nameOf(credential));
      switch (done.status) {
        case "taken back":
          return { body: { path: done.path } };
        case "occupied":
          throw occupied(done.path);
        case "changed":
          throw changed();
        case "unknown":
          throw unknown(id);
      }
    },
  }),
  route({
    id: "deleteQuarantined",
    method: "DELETE",
    path: "/quarantine/{id}",
    scope: "admin",
    summary: "Removes it for good.",
    status: 204,
    errors: ["quarantine.not-found"],
    handle: async ({ services, params, credential }) => {
      const id = params["id"] ?? "";
      const done = await services.app.inside.quarantine.remove(id, nameOf(credential));
      if (done.status === "unknown") throw unknown(id);
      return { status: 204 };
    },
  }),
];

function nameOf(credential: Credential | undefined): string {
  return credential?.name ?? "unknown";
}

function occupied(path: string): Problem {
  return new Problem(
    "quarantine.occupied",
    told({ detail: TEXT.somethingElseAt, remedy: TEXT.moveAwayThen }, { path }),
  );
}

function changed(): Problem {
  return new Problem("quarantine.changed", told({ detail: TEXT.whatShownSo, remedy: TEXT.lookAtAgain }));
}

function unknown(id: string): Problem {
  return new Problem("quarantine.not-found", told({ detail: TEXT.nothingKeptAside, remedy: TEXT.listWhat }, { id }));
}

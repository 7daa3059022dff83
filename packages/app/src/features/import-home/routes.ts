/** Taking over the home of another system, for the pages: what is there, what would come, and the work between two lives. */
import { resolve } from "node:path";
import { messageOf } from "@margay/core/internal";
import { loadConfig } from "../../config/load.ts";
import { pathIn } from "../../config/paths.ts";
import { Problem } from "../../host/api/problem.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { told, words } from "../../host/api/words.ts";
import { translator } from "../../texts/translate.ts";
import { TEXT } from "./offered/api-texts.ts";
import { findHomes } from "./offered/find-homes.ts";
import { HomeBody, HomePlanSchema, HomesSchema, type HomePlan } from "./schema.ts";
import type { Importer } from "./service.ts";
import type { Plan } from "./plan.ts";
import type { Source } from "./source.ts";

/** What stays out is named to be looked through: `margay import --dry-run` names all of it. */
const MAX_LEFT_OUT = 200;
/** A home of years has many files. */
const TIMEOUT_MS = 120_000;

export const IMPORT_HOME_ROUTES: readonly Route[] = [
  route({
    id: "listHomes",
    method: "GET",
    path: "/imports/homes",
    scope: "admin",
    summary: "Homes of nanobot, CountBot and OpenClaw where their programs make them.",
    response: HomesSchema,
    handle: ({ services }) => {
      const { environment, meanwhileFault } = services;
      const items = findHomes(environment.userHome);
      return { body: { items, ...(meanwhileFault !== undefined && { fault: meanwhileFault }) } };
    },
  }),
  route({
    id: "planHome",
    method: "POST",
    path: "/imports/plan",
    scope: "admin",
    summary: "What of another system's home would be taken over, and what stays out and why. Nothing is changed.",
    body: HomeBody,
    response: HomePlanSchema,
    errors: ["import.invalid"],
    timeoutMs: TIMEOUT_MS,
    handle: async (call) => {
      const { planHome } = await import("./service.ts");
      const importer = importerOf(call);
      return { body: viewOf(await planHome(importer, await sourceOf(call, importer)), importer) };
    },
  }),
  route({
    id: "importHome",
    method: "POST",
    path: "/imports",
    scope: "owner",
    summary: "Takes the home of another system over: margay ends, takes it over and begins anew.",
    body: HomeBody,
    status: 202,
    response: HomePlanSchema,
    errors: ["import.invalid", "system.no-supervisor"],
    timeoutMs: TIMEOUT_MS,
    handle: async (call) => {
      const { services, language } = call;
      const { importHome, planHome, readHome } = await import("./service.ts");
      const importer = importerOf(call);
      const source = await sourceOf(call, importer);
      const plan = await planHome(importer, source);
      const { restart } = services;
      if (restart === undefined)
        throw new Problem("system.no-supervisor", {
          detail: words(language, TEXT.noRestart),
          remedy: words(language, TEXT.byCommand, { path: source.root }),
          more: { command: `margay import ${source.root}` },
        });
      const later: Importer = { ...importer, signal: new AbortController().signal };
      restart(async () => {
        const again = await readHome(later, source.root);
        if (again === undefined) throw new Error(words(language, TEXT.gone, { path: source.root }));
        await importHome(later, again, () => {});
      });
      return { status: 202, body: viewOf(plan, importer) };
    },
  }),
];

type PathCall = Pick<Call<unknown, { readonly path: string }>, "services" | "body" | "language" | "signal">;

/** Its words in the language of who asked. */
function importerOf({ services, language, signal }: PathCall): Importer {
  const { environment, loadOptions } = services;
  return {
    environment,
    places: loadOptions.places,
    t: translator(language),
    signal,
    load: () => loadConfig(loadOptions),
  };
}

/** @throws Problem `import.invalid`. */
async function sourceOf({ body }: PathCall, importer: Importer): Promise<Source> {
  const { readHome } = await import("./service.ts");
  const { home } = importer.places;
  const path = pathIn(home, body.path, importer.environment.userHome);
  if (path === resolve(home)) throw new Problem("import.invalid", told({ detail: TEXT.itself }));
  const { kindAt } = await import("./detect.ts");
  try {
    kindAt(path);
  } catch (error) {
    throw new Problem("import.invalid", told({ detail: TEXT.unreadable }, { path, why: messageOf(error) }));
  }
  const source = await readHome(importer, path);
  if (source === undefined) throw new Problem("import.invalid", told({ detail: TEXT.unknown }, { path }));
  return source;
}

function viewOf({ kind, root, items }: Plan, { t }: Importer): HomePlan {
  const takes = { config: 0, workspace: 0, memory: 0, session: 0, job: 0, skill: 0, other: 0 };
  for (const { area, status } of items) if (status === "add" || status === "merge") takes[area] += 1;
  const leftOut = items.flatMap(({ from, status, reason }) =>
    status === "skip" || status === "conflict"
      ? [{ from, reason: reason === undefined ? t(`import.status.${status}`) : t(reason.key, reason.values) }]
      : [],
  );
  return { kind, path: root, takes, leftOut: leftOut.slice(0, MAX_LEFT_OUT), more: leftOut.length > MAX_LEFT_OUT };
}

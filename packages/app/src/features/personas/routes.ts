/** Personas: presets and own ones, which of them speaks, and how each would sound. */
import { isDeepStrictEqual } from "node:util";
import type { Persona } from "@margay/core/internal";
import type { z } from "zod";
import { announce } from "../../host/live/announce.ts";
import { openJournalFacts } from "../../host/live/journal-facts.ts";
import { requireMatch, tagged, tagOf } from "../../host/api/etag.ts";
import { activeOf, allOf, hashOf, isBuiltin, viewOf } from "./persona-view.ts";
import { preview } from "./preview.ts";
import { configureSession } from "../../host/sessions/configure.ts";
import { Problem } from "../../host/api/problem.ts";
import { ASKS_A_MODEL, route, type Call, type Reply, type Route } from "../../host/api/route.ts";
import {
  PersonaActive,
  PersonaActiveResult,
  PersonaCreate,
  PersonaDuplicate,
  PersonaList,
  PersonaPreview,
  PersonaSample,
  PersonaSchema,
  PersonaWrite,
} from "./schema.ts";
import type { Services } from "../../host/api/services.ts";
import { changeSettings, patchEdits } from "../../host/settings/change.ts";
import { words } from "../../host/api/words.ts";
import { createWriteQueue } from "../../host/api/write-queue.ts";
import { TEXT } from "./api-texts.ts";

type AnyCall = Pick<Call<unknown, unknown>, "services" | "params" | "headers" | "language" | "t" | "begunAt">;

export const PERSONA_ROUTES: readonly Route[] = [
  route({
    id: "listPersonas",
    method: "GET",
    path: "/personas",
    scope: "read",
    summary: "The presets in the language of the caller, then the person's own.",
    response: PersonaList,
    errors: ["settings.unreadable-file"],
    handle: ({ services, language }) => {
      const active = activeOf(services);
      return { body: { items: allOf(services, language).map((one) => viewOf(one, services)), active: active ?? null } };
    },
  }),
  route({
    id: "readPersona",
    method: "GET",
    path: "/personas/{id}",
    scope: "read",
    summary: "One persona.",
    response: PersonaSchema,
    errors: ["persona.not-found", "settings.unreadable-file"],
    handle: (call) => {
      const persona = find(call);
      return tagged(call.headers, hashOf(persona), viewOf(persona, call.services));
    },
  }),
  route({
    id: "createPersona",
    method: "POST",
    path: "/personas",
    scope: "admin",
    summary: "A persona of the person's own.",
    body: PersonaCreate,
    status: 201,
    response: PersonaSchema,
    errors: ["persona.exists", "settings.unreadable-file"],
    handle: (call) => alone(call, () => create(call.body, call)),
  }),
  route({
    id: "changePersona",
    method: "PUT",
    path: "/personas/{id}",
    scope: "admin",
    summary: "Replaces an own persona; chats that have it speak so from their next prompt on.",
    body: PersonaWrite,
    response: PersonaSchema,
    errors: [
      "persona.not-found",
      "persona.builtin",
      "precondition.required",
      "precondition.failed",
      "settings.unreadable-file",
    ],
    handle: (call) =>
      alone(call, async () => {
        const { id } = own(call);
        requireMatch(call.headers, hashOf(own(call)));
        await call.services.app.inside.personas.save(plain({ id, ...call.body }));
        return shown(id, call);
      }),
  }),
  route({
    id: "removePersona",
    method: "DELETE",
    path: "/personas/{id}",
    scope: "admin",
    summary: "Removes an own persona; where it spoke, SOUL.md does.",
    status: 204,
    errors: [
      "persona.not-found",
      "persona.builtin",
      "precondition.required",
      "precondition.failed",
      "settings.unreadable-file",
    ],
    handle: (call) =>
      alone(call, async () => {
        const persona = own(call);
        requireMatch(call.headers, hashOf(persona));
        if (activeOf(call.services) === persona.id) await activate(null, call);
        await call.services.app.inside.personas.remove(persona.id);
        return {};
      }),
  }),
  route({
    id: "duplicatePersona",
    method: "POST",
    path: "/personas/{id}/duplicate",
    scope: "admin",
    summary: "A copy of any persona, to be edited.",
    body: PersonaDuplicate,
    status: 201,
    response: PersonaSchema,
    errors: ["persona.not-found", "persona.exists", "settings.unreadable-file"],
    handle: (call) =>
      alone(call, () => {
        const persona = find(call);
        const { name = persona.name } = call.body;
        const copy = { ...persona, name, traits: [...persona.traits] };
        const id = call.body.id ?? madeBefore(copy, call) ?? freeId(persona.id, call.services);
        return create({ ...copy, id }, call);
      }),
  }),
  route({
    id: "activatePersona",
    method: "PUT",
    path: "/personas/active",
    scope: "admin",
    summary: "Which persona speaks: everywhere from the next prompt on, or in one chat from its next turn on.",
    body: PersonaActive,
    response: PersonaActiveResult,
    errors: [
      "persona.not-found",
      "session.not-found",
      "settings.invalid",
      "settings.locked",
      "settings.unreadable-file",
    ],
    handle: (call) =>
      alone(call, async () => {
        const { id, session } = call.body;
        if (id !== null && !call.services.app.inside.personas.has(id)) throw unknown(id, call);
        if (session === undefined) {
          await activate(id, call);
          return { body: { id, effect: "next-epoch" } };
        }
        const key = (await call.services.once(openJournalFacts).of(session))?.key;
        if (key === undefined)
          throw new Problem("session.not-found", {
            detail: "There is no such session.",
            remedy: "GET /api/v1/sessions lists them.",
          });
        await configureSession(call, { key }, { persona: id });
        return { body: { id, session, effect: "next-turn" } };
      }),
  }),
  route({
    id: "previewPersona",
    method: "POST",
    path: "/personas/{id}/preview",
    scope: "admin",
    summary: "How a persona answers a message: one request without tools, memory or history.",
    body: PersonaSample,
    response: PersonaPreview,
    errors: ["persona.not-found", "system.estopped", "budget.exhausted", ...ASKS_A_MODEL, "settings.unreadable-file"],
    timeoutMs: 60_000,
    handle: async (call) => ({ body: await preview(find(call), call.body.message, call) }),
  }),
];

/** @throws Problem `persona.not-found`. */
function find(call: AnyCall): Persona {
  const { id = "" } = call.params;
  const persona = allOf(call.services, call.language).find((one) => one.id === id);
  if (persona === undefined) throw unknown(id, call);
  return persona;
}

/** @throws Problem `persona.not-found`, `persona.builtin`. */
function own(call: AnyCall): Persona {
  const persona = find(call);
  if (!isBuiltin(persona.id)) return persona;
  throw new Problem("persona.builtin", {
    detail: words(call.language, TEXT.cameMargay, { id: persona.id }),
    remedy: words(call.language, TEXT.duplicateAndEdit),
  });
}

function unknown(id: string, { language }: Pick<AnyCall, "language">): Problem {
  const values = { id: id.slice(0, 64) };
  return new Problem("persona.not-found", {
    detail: words(language, TEXT.noPersona, values),
    remedy: words(language, TEXT.listsThem),
  });
}

async function create(given: z.output<typeof PersonaCreate>, call: AnyCall): Promise<Reply> {
  const { personas } = call.services.app.inside;
  if (madeBefore(given, call, given.id) !== undefined) return shown(given.id, call);
  if (personas.has(given.id))
    throw new Problem("persona.exists", {
      detail: words(call.language, TEXT.personaAlready, { id: given.id }),
      remedy: words(call.language, TEXT.chooseAnotherId),
    });
  await personas.save(plain(given));
  return shown(given.id, call);
}

/** The one that an attempt made of which nobody heard. */
function madeBefore(given: z.output<typeof PersonaCreate>, call: AnyCall, id?: string): string | undefined {
  if (call.begunAt === undefined) return undefined;
  const isSame = (one: Persona): boolean =>
    (id === undefined ? one.id !== given.id : one.id === id) && isDeepStrictEqual(one, plain({ ...given, id: one.id }));
  return call.services.app.inside.personas.own().findLast(isSame)?.id;
}

function plain({ custom, ...persona }: z.output<typeof PersonaCreate>): Persona {
  return { ...persona, ...(custom !== undefined && custom !== "" && { custom }) };
}

function shown(id: string, call: AnyCall): Reply {
  const persona = find({ ...call, params: { id } });
  return { body: viewOf(persona, call.services), headers: { etag: tagOf(hashOf(persona)) } };
}

function freeId(id: string, { app }: Services): string {
  const stem = id.replace(/-\d+$/, "").slice(0, 58);
  if (!app.inside.personas.has(stem)) return stem;
  for (let k = 2; ; k++) if (!app.inside.personas.has(`${stem}-${k}`)) return `${stem}-${k}`;
}

/** The free text of the settings would speak instead: it is kept as a persona of its own before it goes. */
async function activate(id: string | null, call: AnyCall): Promise<void> {
  const { app } = call.services;
  const { custom } = app.inside.loaded().config.persona;
  if (custom !== null && custom.trim() !== "")
    await app.inside.personas.save({
      id: freeId("my-words", call.services),
      name: words(app.language, TEXT.myWords),
      description: "",
      traits: [],
      style: "",
      custom,
    });
  await changeSettings(patchEdits({ persona: { preset: id, custom: null } }, call), call, { dryRun: false });
}

function alone<T>({ services }: Pick<AnyCall, "services">, work: () => T | Promise<T>): Promise<T> {
  return services.once(createWriteQueue)(async () => {
    const done = await work();
    announce(services, "system", "personas");
    return done;
  });
}

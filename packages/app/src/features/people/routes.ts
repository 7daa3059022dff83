/** Who has a room here beside the owner. */
import type { JsonObject } from "@margay/core";
import { visible } from "@margay/core/internal";
import type { z } from "zod";
import { hashOf } from "../../config/load.ts";
import { isPersonId } from "../../config/people-faults.ts";
import { requireMatch, requireNone, tagOf } from "../../host/api/etag.ts";
import { Problem } from "../../host/api/problem.ts";
import { type Call, route, type Route } from "../../host/api/route.ts";
import type { Services } from "../../host/api/services.ts";
import { announce } from "../../host/live/announce.ts";
import { identityIn, OWNER } from "../../host/people.ts";
import { changeSettings, patchEdits } from "../../host/settings/change.ts";
import { removalsBelow } from "../../host/settings/edits.ts";
import type { Translate } from "../../texts/translate.ts";
import { goneOf, rememberGone } from "./gone.ts";
import { explain } from "./explain.ts";
import { ExplainQuery, ExplanationSchema, PeopleSchema, PersonBody, PersonSchema } from "./schema.ts";

export const PEOPLE_ROUTES: readonly Route[] = [
  route({
    id: "explainPerson",
    method: "GET",
    path: "/people/explain",
    scope: "read",
    summary: "What margay takes a sender for, and what becomes of their words in a group; asks no model.",
    query: ExplainQuery,
    response: ExplanationSchema,
    handle: ({ services, query, t }) => {
      const { channel, sender, group, addressed } = query;
      const { loaded, pairing } = services.app.inside;
      const { config, places } = loaded();
      const asked = { channel, sender, group, isNamed: addressed === "true" };
      const { speaker, gate, agent, texts } = explain(asked, { config, pairing, places }, t);
      return {
        body: {
          role: speaker?.role ?? "stranger",
          ...(speaker?.person !== undefined && { person: speaker.person }),
          ...(gate !== undefined && { gate }),
          ...(agent !== undefined && { agent: agent.agent }),
          texts: [...texts],
        },
      };
    },
  }),
  route({
    id: "listPeople",
    method: "GET",
    path: "/people",
    scope: "read",
    summary: "Persons beside the owner, and who they are on chat channels.",
    response: PeopleSchema,
    handle: ({ services }) => ({
      body: Object.keys(services.app.inside.loaded().config.people).flatMap(
        (person) => personView(person, services) ?? [],
      ),
    }),
  }),
  route({
    id: "putPerson",
    method: "PUT",
    path: "/people/{person}",
    scope: "owner",
    summary: "Somebody with a room of their own, and who they are on chat channels; it holds from the next message on.",
    body: PersonBody,
    response: PersonSchema,
    errors: ["settings.invalid", "precondition.required", "precondition.failed"],
    handle: async (call) => {
      const { services, params, body, headers, t } = call;
      const person = params["person"] ?? "";
      const before = personView(person, services);
      if (before === undefined) {
        requireNone(headers, "");
        refuseName(person, services, t);
      } else requireMatch(headers, before.hash);
      await changeSettings(patchEdits({ people: { [person]: patchOf(body) } }, call), call, { dryRun: false });
      record(person, before, body, call);
      const after = personView(person, services);
      if (after === undefined) throw noPerson(person, call);
      return { body: after, headers: { etag: tagOf(after.hash) } };
    },
  }),
  route({
    id: "deletePerson",
    method: "DELETE",
    path: "/people/{person}",
    scope: "owner",
    summary: "They are nobody from the next message on. Their files stay, and their name is not given again.",
    status: 204,
    errors: ["request.not-found", "settings.invalid", "precondition.required", "precondition.failed"],
    handle: async (call) => {
      const { services, params, headers } = call;
      const person = params["person"] ?? "";
      const view = personView(person, services);
      if (view === undefined) throw noPerson(person, call);
      requireMatch(headers, view.hash);
      const loaded = services.app.inside.loaded();
      const edits = removalsBelow(["people", person], loaded);
      await changeSettings(edits, call, { dryRun: true }); // what speaks of them elsewhere is refused before anything is done
      await rememberGone(loaded.places, person);
      await changeSettings(edits, call, { dryRun: false });
      services.app.audit.record("person.removed", { person, by: call.credential?.name ?? "unknown" });
      announce(services, "channels", "people");
      return { status: 204 };
    },
  }),
];

type View = z.infer<typeof PersonSchema>;

/** Undefined: there is nobody of that name beside the owner. */
function personView(person: string, { app }: Services): View | undefined {
  const { people } = app.inside.loaded().config;
  const found = person !== OWNER && Object.hasOwn(people, person) ? people[person] : undefined;
  if (found === undefined) return undefined;
  const { name, role, ids, tokensPerDay, timeZone, quietHours, supervised = false } = found;
  const view = {
    person,
    ...(name !== undefined && { name: visible(name) }),
    role,
    ids: [...ids],
    ...(tokensPerDay !== undefined && { tokensPerDay }),
    ...(timeZone !== undefined && { timeZone }),
    ...(quietHours !== undefined && { quietHours }),
    supervised,
  };
  return { ...view, hash: hashOf(JSON.stringify(view)) };
}

/** What a name may be is told beside its field. @throws Problem `settings.invalid`. */
function refuseName(person: string, { app }: Services, t: Translate): void {
  const isName = isPersonId(person) && person !== OWNER;
  if (isName && !goneOf(app.inside.loaded().places).includes(person)) return;
  const message = t(isName ? "people.gone" : "people.name", { name: visible(person) });
  throw new Problem("settings.invalid", { detail: message, errors: [{ path: "/person", code: "person", message }] });
}

function record(person: string, before: View | undefined, body: z.infer<typeof PersonBody>, call: Caller): void {
  const { services, credential } = call;
  const by = credential?.name ?? "unknown";
  const { audit } = services.app;
  if (before === undefined) audit.record("person.added", { person, role: body.role, by });
  for (const id of body.ids)
    if (before?.ids.includes(id) !== true) audit.record("person.linked", { person, ...identityIn(id), by });
  for (const id of before?.ids ?? [])
    if (!body.ids.includes(id)) audit.record("person.unlinked", { person, ...identityIn(id), by });
  announce(services, "channels", "people");
}

function patchOf({
  name,
  role,
  ids,
  tokensPerDay,
  timeZone,
  quietHours,
  supervised,
}: z.infer<typeof PersonBody>): JsonObject {
  return {
    ...(name !== undefined && { name }),
    role,
    ids,
    ...(tokensPerDay !== undefined && { tokensPerDay }),
    ...(timeZone !== undefined && { timeZone }),
    ...(quietHours !== undefined && { quietHours }),
    ...(supervised !== undefined && { supervised }),
  };
}

type Caller = Pick<Call<unknown, unknown>, "services" | "credential">;

function noPerson(person: string, { services, t }: Pick<Call<unknown, unknown>, "services" | "t">): Problem {
  const known = Object.keys(services.app.inside.loaded().config.people).filter((name) => name !== OWNER);
  const name = visible(person.slice(0, 64));
  return new Problem("request.not-found", {
    detail: t("people.unknown", { name, known: [OWNER, ...known].join(", ") }),
  });
}

/** Who may write on chat channels: paired people and the lists of the configuration. */
import type { JsonObject } from "@margay/core";
import { sha256, visible } from "@margay/core/internal";
import type { Config } from "../../config/config.ts";
import { identitiesOf, type Identity, OWNER, peopleOf, type Speaker } from "../../host/people.ts";
import { announce } from "../../host/live/announce.ts";
import { Problem } from "../../host/api/problem.ts";
import { requireOwner } from "../../host/api/proof.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { ContactBody, ContactSchema, ContactsSchema, type Contact } from "../channels/schema.ts";
import type { Services } from "../../host/api/services.ts";
import { changeSettings, patchEdits } from "../../host/settings/change.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

export const CONTACT_ROUTES: readonly Route[] = [
  route({
    id: "listContacts",
    method: "GET",
    path: "/contacts",
    scope: "read",
    summary: "People who may write on chat channels.",
    response: ContactsSchema,
    handle: async ({ services }) => ({ body: await contacts(services) }),
  }),
  route({
    id: "putContact",
    method: "PUT",
    path: "/contacts/{id}",
    scope: "admin",
    summary: "Another name or role for somebody who is paired; operator only with a fresh proof.",
    body: ContactBody,
    response: ContactSchema,
    errors: ["request.not-found", "channel.invalid", "auth.fresh-required"],
    handle: async (call) => {
      const { services, body } = call;
      const found = await contactOf(call);
      const list = listOf(found);
      if (list !== undefined)
        throw new Problem(
          "channel.invalid",
          told({ detail: TEXT.admittedByConfiguration, remedy: TEXT.removeIdFrom }, { sender: found.sender, list }),
        );
      if (body.role === "operator") requireOwner(call, TEXT.makingSomebodyOperator);
      await services.app.inside.pairing.change(found.channel, found.sender, {
        ...(body.role !== undefined && { role: body.role }),
        ...(body.name !== undefined && { name: body.name }),
      });
      announce(services, "channels", found.channel);
      services.app.audit.record("contact.changed", {
        channel: found.channel,
        sender: found.sender,
        ...(body.role !== undefined && { role: body.role }),
      });
      return { body: await contactOf(call) };
    },
  }),
  route({
    id: "deleteContact",
    method: "DELETE",
    path: "/contacts/{id}",
    scope: "admin",
    summary: "Nothing more is admitted from this person.",
    status: 204,
    errors: ["request.not-found"],
    handle: async (call) => {
      const { services } = call;
      const { channel, sender } = await contactOf(call);
      await services.app.inside.pairing.remove(channel, sender);
      const left = withoutIdentity(services.app.inside.loaded().config, { channel, sender });
      if (Object.keys(left).length > 0) await changeSettings(patchEdits(left, call), call, { dryRun: false });
      announce(services, "channels", channel);
      services.app.audit.record("contact.removed", { channel, sender });
      return { status: 204 };
    },
  }),
];

/** What of the configuration changes when nobody is there by that identity any more. */
function withoutIdentity(
  { people, channelsById }: Pick<Config, "people" | "channelsById">,
  { channel, sender }: Identity,
): JsonObject {
  const { allowFrom = [], operators = [] } = channelsById[channel] ?? {};
  const lists = {
    ...(allowFrom.includes(sender) && { allowFrom: allowFrom.filter((id) => id !== sender) }),
    ...(operators.includes(sender) && { operators: operators.filter((id) => id !== sender) }),
  };
  const identity = `${channel}:${sender}`;
  const persons = Object.entries(people)
    .filter(([, { ids }]) => ids.includes(identity))
    .map(([person, { ids }]) => [person, { ids: ids.filter((id) => id !== identity) }] as const);
  return {
    ...(Object.keys(lists).length > 0 && { channels: { [channel]: lists } }),
    ...(persons.length > 0 && { people: Object.fromEntries(persons) }),
  };
}

/** Where the configuration says who that is; undefined: a code did. */
function listOf({ channel, role, person }: Contact): string | undefined {
  if (person !== undefined) return `people.${person}.ids`;
  if (role === "owner") return `channels.${channel}.operators`;
  return role === "listed" ? `channels.${channel}.allowFrom` : undefined;
}

export function contactId(channel: string, sender: string): string {
  return sha256(`${channel}\n${sender}`).slice(0, 24);
}

function contactOf({ services, params }: Pick<Call<unknown, unknown>, "services" | "params">): Promise<Contact> {
  return contactBy(params["id"] ?? "", services);
}

/** @throws Problem `request.not-found`. */
export async function contactBy(wanted: string, services: Services): Promise<Contact> {
  const found = (await contacts(services)).find(({ id }) => id === wanted);
  if (found !== undefined) return found;
  throw new Problem("request.not-found", told({ detail: TEXT.noSuchContact, remedy: TEXT.listsThem }));
}

async function contacts({ app }: Services): Promise<readonly Contact[]> {
  const { config } = app.inside.loaded();
  const { pairing } = app.inside;
  const lastAt = await lastSeen(app);
  const people = peopleOf({ config: () => config, pairing });
  const paired = pairing.list();
  return identitiesOf(config, paired).flatMap(({ channel, sender }): readonly Contact[] => {
    const speaker = people.speaker(channel, sender);
    if (speaker === undefined) return [];
    const { person, because } = speaker;
    const code = paired.find((one) => one.channel === channel && one.sender === sender);
    const name = because === "person" && person !== undefined ? config.people[person]?.name : code?.name;
    return [
      {
        id: contactId(channel, sender),
        channel,
        sender,
        role: roleOf(speaker),
        ...(name !== undefined && { name: visible(name) }),
        ...(person !== undefined && person !== OWNER && { person }),
        ...(code?.pairedAt !== undefined && { pairedAt: code.pairedAt }),
        ...lastAt(channel, sender),
      },
    ];
  });
}

/** What the configuration says of somebody who was paired too holds. */
function roleOf({ because, person, role }: Speaker): Contact["role"] {
  switch (because) {
    case "person":
      return person === OWNER ? "owner" : role === "member" ? "member" : "operator";
    case "entrance":
    case "operators":
      return "owner";
    case "paired-operator":
      return "operator";
    case "listed":
    case "everyone":
      return "listed";
    case "paired":
      return "paired";
  }
}

/** In a private chat the chat bears the sender's id on most platforms: its session says when it was last used. */
async function lastSeen(
  app: Services["app"],
): Promise<(channel: string, sender: string) => { readonly lastAt?: number }> {
  const byKey = new Map((await app.agent.sessions.list()).map(({ key, updatedAt }) => [key, updatedAt]));
  return (channel, sender) => {
    const at = byKey.get(`${channel}:${sender}`);
    return at === undefined ? {} : { lastAt: at };
  };
}

/** Who may write on chat channels: paired people and the lists of the configuration. */
import { sha256, visible } from "@margay/core/internal";
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
      if (found.role === "listed" || found.role === "owner")
        throw new Problem(
          "channel.invalid",
          told(
            { detail: TEXT.admittedByConfiguration, remedy: TEXT.removeIdFrom },
            { sender: found.sender, list: `channels.${found.channel}.${LIST_OF[found.role]}` },
          ),
        );
      if (body.role === "operator") requireOwner(call, TEXT.makingSomebodyOperator);
      services.app.inside.pairing.change(found.channel, found.sender, {
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
      services.app.inside.pairing.remove(channel, sender);
      const { allowFrom = [], operators = [] } = services.app.inside.loaded().config.channelsById[channel] ?? {};
      const left = {
        ...(allowFrom.includes(sender) && { allowFrom: allowFrom.filter((id) => id !== sender) }),
        ...(operators.includes(sender) && { operators: operators.filter((id) => id !== sender) }),
      };
      if (Object.keys(left).length > 0)
        changeSettings(patchEdits({ channels: { [channel]: left } }, call), call, { dryRun: false });
      announce(services, "channels", channel);
      services.app.audit.record("contact.removed", { channel, sender });
      return { status: 204 };
    },
  }),
];

/** Where the configuration names whom. */
const LIST_OF = { owner: "operators", listed: "allowFrom" } as const;

export function contactId(channel: string, sender: string): string {
  return sha256(`${channel}\n${sender}`).slice(0, 24);
}

async function contactOf({ services, params }: Pick<Call<unknown, unknown>, "services" | "params">): Promise<Contact> {
  const found = (await contacts(services)).find(({ id }) => id === params["id"]);
  if (found !== undefined) return found;
  throw new Problem("request.not-found", told({ detail: TEXT.noSuchContact, remedy: TEXT.listsThem }));
}

async function contacts({ app }: Services): Promise<readonly Contact[]> {
  const { channelsById } = app.inside.loaded().config;
  const lastAt = await lastSeen(app);
  const paired = app.inside.pairing.list().map(({ channel, sender, role, name, pairedAt }): Contact => ({
    id: contactId(channel, sender),
    channel,
    sender,
    ...(name !== undefined && { name: visible(name) }),
    role: role ?? "paired",
    ...(pairedAt !== undefined && { pairedAt }),
    ...lastAt(channel, sender),
  }));
  const known = new Set(paired.map(({ id }) => id));
  const configured = Object.entries(channelsById).flatMap(([channel, { allowFrom, operators }]) => {
    const guests = allowFrom.filter((sender) => sender !== "*" && !operators.includes(sender));
    return [
      ...operators.map((sender) => ({ channel, sender, role: "owner" as const })),
      ...guests.map((sender) => ({ channel, sender, role: "listed" as const })),
    ];
  });
  const listed = configured
    .map(({ channel, sender, role }): Contact => ({
      id: contactId(channel, sender),
      channel,
      sender,
      role,
      ...lastAt(channel, sender),
    }))
    .filter(({ id, role }) => role === "owner" || !known.has(id));
  // What the configuration says of somebody who was paired too holds.
  const owners = new Set(listed.filter(({ role }) => role === "owner").map(({ id }) => id));
  return [...paired.filter(({ id }) => !owners.has(id)), ...listed];
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

/** Strangers who asked to be let in, by their codes. */
import { raceAbort, visible } from "@margay/core/internal";
import type { JsonObject } from "@margay/core";
import { announce } from "../../host/live/announce.ts";
import { Problem } from "../../host/api/problem.ts";
import { requireOwner } from "../../host/api/proof.ts";
import { type Call, route, type Route } from "../../host/api/route.ts";
import { ApprovePairingBody, ContactSchema, PairingsSchema } from "../channels/schema.ts";
import { contactBy, contactId } from "./contact-routes.ts";
import type { Services } from "../../host/api/services.ts";
import { type Offer, VALID_MS } from "../../host/pairing.ts";
import { type Identity, OWNER } from "../../host/people.ts";
import { changeSettings, patchEdits } from "../../host/settings/change.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

/** A page waits no longer for a name. */
const NAME_MS = 1000;

export const PAIRING_ROUTES: readonly Route[] = [
  route({
    id: "listPairings",
    method: "GET",
    path: "/pairings",
    scope: "read",
    summary: "Codes that are valid now, and who got them.",
    response: PairingsSchema,
    handle: async ({ services }) => ({
      body: await Promise.all(
        services.app.inside.pairing
          .offers()
          .map(async ({ code, channel, sender, firstText, at, expiresAt, ...offer }) => {
            const name = offer.name ?? (await nameOf({ channel, sender }, services));
            return {
              code,
              channel,
              sender,
              ...(name !== undefined && { name: visible(name) }),
              ...(firstText !== undefined && { firstText: visible(firstText) }),
              at: at ?? expiresAt - VALID_MS,
              expiresAt,
            };
          }),
      ),
    }),
  }),
  route({
    id: "approvePairing",
    method: "POST",
    path: "/pairings/{code}/approve",
    scope: "admin",
    summary: "Admits the sender of a code; as operator or as a person only with a fresh proof.",
    body: ApprovePairingBody,
    response: ContactSchema,
    errors: ["pairing.not-found", "auth.fresh-required", "request.not-found"],
    handle: async (call) => {
      const { services, body } = call;
      const { pairing } = services.app.inside;
      const asked = offerOf(call);
      const name = asked.name ?? (await nameOf(asked, services));
      // Anew: meanwhile somebody may have voided it.
      const { channel, sender, code } = offerOf(call);
      const { person } = body;
      // Whoever is taken for a person reads what is theirs.
      if (person !== undefined) requireOwner(call, TEXT.sayingWhoSomebodyIs);
      else if (body.role === "operator") requireOwner(call, TEXT.makingSomebodyOperator);
      const edits = person === undefined ? undefined : patchEdits(linking(person, { channel, sender }, services), call);
      // While another process writes, another one may still void it.
      if ((await pairing.accept(code, person === undefined ? body.role : "paired")) === undefined) throw noPairing();
      if (name !== undefined) await pairing.change(channel, sender, { name });
      if (edits !== undefined) {
        // A guest until it is linked, wherever this is cut off; then the code has no part in it any more.
        await changeSettings(edits, call, { dryRun: false });
        await pairing.remove(channel, sender);
      }
      announce(services, "channels", channel);
      services.app.audit.record("pairing.approved", {
        channel,
        sender,
        role: body.role,
        ...(person !== undefined && { person }),
        by: call.credential?.name ?? "unknown",
      });
      return { body: await contactBy(contactId(channel, sender), services) };
    },
  }),
  route({
    id: "rejectPairing",
    method: "DELETE",
    path: "/pairings/{code}",
    scope: "admin",
    summary: "Voids a code.",
    status: 204,
    errors: ["pairing.not-found"],
    handle: async (call) => {
      const { services, credential } = call;
      const { channel, sender, code } = offerOf(call);
      if (!(await services.app.inside.pairing.reject(code))) throw noPairing();
      services.app.audit.record("pairing.rejected", { channel, sender, by: credential?.name ?? "unknown" });
      announce(services, "channels", "pairings");
      return { status: 204 };
    },
  }),
];

/** Looked up before it is used: a typing error is no guess here, and voids nobody's code. @throws Problem `pairing.not-found`. */
function offerOf({ services, params }: Pick<Call<unknown, unknown>, "services" | "params">): Offer {
  const code = (params["code"] ?? "").trim().toUpperCase();
  const offer = services.app.inside.pairing.offers().find((one) => one.code === code);
  if (offer === undefined) throw noPairing();
  return offer;
}

/** Whose name nobody knew when they wrote: it is looked up since then. */
async function nameOf({ channel, sender }: Identity, { app }: Services): Promise<string | undefined> {
  const late = AbortSignal.timeout(NAME_MS);
  const asked = app.inside.platforms.channels.get(channel)?.nameOf?.(sender, "person", late);
  return raceAbort(Promise.resolve(asked), late).catch(() => undefined); // the id says who it is
}

/** @throws Problem `request.not-found`: there is no such person. */
function linking(person: string, { channel, sender }: Identity, { app }: Services): JsonObject {
  const { people, channelsById } = app.inside.loaded().config;
  if (person === OWNER)
    return { channels: { [channel]: { operators: [...(channelsById[channel]?.operators ?? []), sender] } } };
  const found = Object.hasOwn(people, person) ? people[person] : undefined;
  if (found === undefined) throw new Problem("request.not-found", told({ detail: TEXT.noSuchPerson }));
  return { people: { [person]: { ids: [...found.ids, `${channel}:${sender}`] } } };
}

function noPairing(): Problem {
  return new Problem("pairing.not-found", told({ detail: TEXT.noSuchCode, remedy: TEXT.letPersonWrite }));
}

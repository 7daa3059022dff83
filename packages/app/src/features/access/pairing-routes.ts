/** Strangers who asked to be let in, by their codes. */
import { visible } from "@margay/core/internal";
import { announce } from "../../host/live/announce.ts";
import { Problem } from "../../host/api/problem.ts";
import { requireOwner } from "../../host/api/proof.ts";
import { route, type Route } from "../../host/api/route.ts";
import { ApprovePairingBody, ContactSchema, PairingsSchema } from "../channels/schema.ts";
import { contactId } from "./contact-routes.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

const VALID_MS = 600_000;

export const PAIRING_ROUTES: readonly Route[] = [
  route({
    id: "listPairings",
    method: "GET",
    path: "/pairings",
    scope: "read",
    summary: "Codes that are valid now, and who got them.",
    response: PairingsSchema,
    handle: ({ services }) => ({
      body: services.app.inside.pairing.offers().map(({ code, channel, sender, name, firstText, at, expiresAt }) => ({
        code,
        channel,
        sender,
        ...(name !== undefined && { name: visible(name) }),
        ...(firstText !== undefined && { firstText: visible(firstText) }),
        at: at ?? expiresAt - VALID_MS,
        expiresAt,
      })),
    }),
  }),
  route({
    id: "approvePairing",
    method: "POST",
    path: "/pairings/{code}/approve",
    scope: "admin",
    summary: "Admits the sender of a code; as operator only with a fresh proof.",
    body: ApprovePairingBody,
    response: ContactSchema,
    errors: ["pairing.not-found", "auth.fresh-required"],
    handle: (call) => {
      const { services, params, body } = call;
      const { pairing } = services.app.inside;
      const code = params["code"] ?? "";
      // Looked up before it is used: a typing error here is no guess, and voids nobody's code.
      const offer = pairing.offers().find((one) => one.code === code.trim().toUpperCase());
      if (offer === undefined) throw noPairing();
      if (body.role === "operator") requireOwner(call, TEXT.makingSomebodyOperator);
      pairing.accept(offer.code, body.role);
      const { channel, sender } = offer;
      announce(services, "channels", channel);
      services.app.audit.record("pairing.approved", {
        channel,
        sender,
        role: body.role,
        by: call.credential?.name ?? "unknown",
      });
      const paired = pairing.list().find((one) => one.channel === channel && one.sender === sender);
      return {
        body: {
          id: contactId(channel, sender),
          channel,
          sender,
          ...(paired?.name !== undefined && { name: visible(paired.name) }),
          role: body.role,
          ...(paired?.pairedAt !== undefined && { pairedAt: paired.pairedAt }),
        },
      };
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
    handle: ({ services, params, credential }) => {
      const { pairing } = services.app.inside;
      const code = (params["code"] ?? "").trim().toUpperCase();
      const offer = pairing.offers().find((one) => one.code === code);
      if (offer === undefined || !pairing.reject(code)) throw noPairing();
      const { channel, sender } = offer;
      services.app.audit.record("pairing.rejected", { channel, sender, by: credential?.name ?? "unknown" });
      announce(services, "channels", "pairings");
      return { status: 204 };
    },
  }),
];

function noPairing(): Problem {
  return new Problem("pairing.not-found", told({ detail: TEXT.noSuchCode, remedy: TEXT.letPersonWrite }));
}

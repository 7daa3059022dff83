/** `POST /channels/{id}/login`: a login as an event stream. Who reads it is in front of the code; who leaves has cancelled it. */
import { isSecretAt } from "../../../config/secrets/secret-names.ts";
import { isChannelName, kindOf, ourKinds } from "../../../config/channel-ids.ts";
import { requireOwner } from "../../../host/api/proof.ts";
import { route, type Call, type Route } from "../../../host/api/route.ts";
import { sseBody, sseEvent } from "../../../host/live/sse-body.ts";
import type { z } from "zod";
import { findKind, type ChannelConfig } from "../kinds.ts";
import { draftOf, noKind, noName, patchOf } from "../routes.ts";
import { ChannelLoginBody, type LoginEvent } from "../schema.ts";
import { TEXT } from "../api-texts.ts";
import { loginEvents, type Login, pluginWithLogin } from "./login.ts";

export const CHANNEL_LOGIN_ROUTES: readonly Route[] = [
  route({
    id: "loginChannel",
    method: "POST",
    path: "/channels/{id}/login",
    scope: "admin",
    summary:
      "Logs a channel in by a code, and makes it where there is none: event `step` for all that is shown (`qr`, `code`, `scanned`, `done`, `failed`), until the reader leaves.",
    body: ChannelLoginBody,
    errors: ["channel.invalid", "settings.invalid", "auth.fresh-required"],
    timeoutMs: null,
    handle: async (call) => {
      const { services, credential, signal } = call;
      const login = loginOf(call);
      // The plugin is handed what is stored, wherever the login leads.
      if (login.hasSecrets) requireOwner(call, TEXT.loggingInAgain);
      const plugin = await pluginWithLogin(login, call);
      const ended = services.once(createLogins).begin(login.id);
      const over = AbortSignal.any([
        signal,
        ended,
        services.closing,
        ...(credential === undefined ? [] : [credential.gone]),
      ]);
      const texts = spoken(loginEvents(login, plugin, call, over));
      return {
        raw: sseBody(texts, { clock: services.app.clock, over, farewell: () => sseEvent({}, "goodbye") }),
        headers: { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
      };
    },
  }),
];

async function* spoken(events: AsyncGenerator<LoginEvent>): AsyncGenerator<string> {
  for await (const event of events) yield sseEvent(event, "step");
}

/** @throws Problem: no such name or kind. */
export function loginOf({
  services,
  params,
  body,
}: Pick<Call<unknown, z.output<typeof ChannelLoginBody>>, "services" | "params" | "body">): Login & {
  readonly hasSecrets: boolean;
} {
  const id = params["id"] ?? "";
  const { config, places } = services.app.inside.loaded();
  const saved = Object.hasOwn(config.channelsById, id) ? config.channelsById[id] : undefined;
  if (saved === undefined && !isChannelName(id)) throw noName(id);
  const kind = body.kind ?? kindOf(id, config.channelsById);
  if (findKind(kind, places) === undefined && !ourKinds().includes(kind)) throw noKind(kind, services);
  return {
    id,
    kind,
    config: draftOf(saved, body),
    patch: patchOf(id, kind, body),
    hasSecrets: saved !== undefined && hasSecrets(saved),
  };
}

function hasSecrets({ token, secret, options = {} }: ChannelConfig): boolean {
  const isSecret = (name: string): boolean => isSecretAt({ secret: "named" }, name);
  return token !== undefined || secret !== undefined || Object.keys(options).some(isSecret);
}

interface Logins {
  /** The one before of that channel ends: it has another reader now. @returns what ends this one. */
  begin(id: string): AbortSignal;
}

function createLogins(): Logins {
  const begun = new Map<string, AbortController>();
  return {
    begin: (id) => {
      begun.get(id)?.abort(new Error("another login of this channel has begun"));
      const controller = new AbortController();
      begun.set(id, controller);
      return controller.signal;
    },
  };
}

/** `POST /hooks/channel/{id}/{path}`: a chat platform calls its channel, which says what proves it and answers. */
import { answerCall, hookBytes, messageOf } from "@margay/core/internal";
import { STARTING_MS } from "../../host/api/problem.ts";
import { type Call, type Reply, route } from "../../host/api/route.ts";
import { refuseCall } from "./receive.ts";

export const RECEIVE_CHANNEL_HOOK = route({
  id: "receiveChannelHook",
  method: "POST",
  path: "/!/hooks/channel/{id}/{path}",
  scope: "public",
  summary: "A call of a chat platform, proven as the platform does it; every failure is a 401 without a body.",
  rawBody: (call) => hookBytes(hookOf(call)),
  unlimited: true,
  errors: ["auth.invalid"],
  handle: (call) => receive(call, call.body as unknown as Uint8Array), // rawBody
});

type Called = Pick<Call<unknown, unknown>, "services" | "params" | "headers" | "address">;

function hookOf({ services, params }: Pick<Called, "services" | "params">): Parameters<typeof hookBytes>[0] {
  return services.app.inside.platforms.hooks.find(params["id"] ?? "", params["path"] ?? "");
}

async function receive(call: Called, body: Uint8Array): Promise<Reply> {
  const { services, params, address } = call;
  const { app } = services;
  const hook = hookOf(call);
  // Its channel may be about to begin: a platform that hears of a refusal may never call again.
  if (hook === undefined && services.starting())
    return { status: 503, headers: { "retry-after": String(STARTING_MS / 1000) } };
  const name = `channel/${params["id"] ?? ""}`;
  const headers = new Headers();
  for (const [key, value] of Object.entries(call.headers)) if (value !== undefined) headers.set(key, value);
  try {
    const outcome = await answerCall(hook, { headers, body }, app.clock.now());
    if ("refused" in outcome)
      return refuseCall({ name, isKnown: hook !== undefined, reason: outcome.refused }, { services, address });
    return outcome.answer === undefined ? {} : { body: outcome.answer };
  } catch (error) {
    app.log.warn("channel.call-failed", { channel: params["id"] ?? "", message: messageOf(error) });
    return { status: 503, headers: { "retry-after": "30" } };
  }
}

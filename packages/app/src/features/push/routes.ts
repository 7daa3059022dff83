/** Devices that are told when something waits: the key they subscribe with, and what they handed over. */
import { Problem } from "../../host/api/problem.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { told } from "../../host/api/words.ts";
import { OWNER } from "../../host/people.ts";
import { TEXT } from "./api-texts.ts";
import { areKeys, publicOf } from "./encrypt.ts";
import { PushSchema, SubscribeBody, SubscribedSchema } from "./schema.ts";
import { isOf, openPush, prune, type PushStore, type Subscription } from "./store.ts";

type AnyCall = Pick<Call<unknown, unknown>, "credential" | "services">;

export const PUSH_ROUTES: readonly Route[] = [
  route({
    id: "getPush",
    method: "GET",
    path: "/push",
    scope: "admin",
    ofPersons: true,
    summary: "Devices of yours that are told when something waits, and the key with which one more subscribes.",
    response: PushSchema,
    handle: async (call) => {
      const store = await storeOf(call);
      return {
        body: {
          key: publicOf(await store.key()),
          items: ownIn(store, call)
            .toReversed()
            .map(({ id, login, endpoint, userAgent, createdAt, owed }) => ({
              ...{ id, userAgent, createdAt, unsent: owed !== undefined },
              current: login === call.credential?.id,
              service: new URL(endpoint).hostname,
            })),
        },
      };
    },
  }),
  route({
    id: "subscribePush",
    method: "POST",
    path: "/push",
    scope: "admin",
    ofPersons: true,
    summary: "Tells this browser from now on when something waits; it ends with its login. In place of an earlier one.",
    body: SubscribeBody,
    status: 201,
    response: SubscribedSchema,
    handle: async (call) => {
      const { body, headers, credential, services, newId } = call;
      if (credential?.kind !== "browser") throw new Problem("auth.scope", told({ detail: TEXT.browsersOnly }));
      if (!areKeys(body.keys))
        throw new Problem("request.invalid", {
          ...told({ detail: TEXT.noKeys }),
          errors: [{ path: "/keys", code: "invalid_value", message: "These are no keys of a push subscription." }],
        });
      const store = await storeOf(call);
      const before = ownIn(store, call).find(({ endpoint }) => endpoint === body.endpoint);
      const id = before?.id ?? newId("push");
      await store.add({
        ...{ id, login: credential.id, endpoint: body.endpoint, keys: body.keys, language: body.language },
        ...(credential.for !== undefined && { for: credential.for }),
        userAgent: (headers["user-agent"] ?? "").slice(0, 200),
        createdAt: before?.createdAt ?? services.app.clock.now(),
        shown: before?.shown ?? 0,
      });
      return { body: { id } };
    },
  }),
  route({
    id: "tryPush",
    method: "POST",
    path: "/push/{id}/try",
    scope: "admin",
    ofPersons: true,
    runs: true,
    summary: "Tells that device how much waits now, so that somebody sees whether it arrives.",
    status: 202,
    errors: ["request.not-found"],
    handle: async (call) => {
      const { store, device } = await mineOf(call);
      const owed = { count: device.shown, to: "/", quiet: false, trial: true, attempts: 0, nextAt: 0 } as const;
      await store.update(device.id, (one) => ({ ...one, owed }));
      return {};
    },
  }),
  route({
    id: "unsubscribePush",
    method: "DELETE",
    path: "/push/{id}",
    scope: "admin",
    ofPersons: true,
    summary: "That device is told nothing any more.",
    status: 204,
    errors: ["request.not-found"],
    handle: async (call) => {
      const { store, device } = await mineOf(call);
      await store.remove(({ id }) => id === device.id);
      return {};
    },
  }),
];

async function storeOf({ services }: AnyCall): Promise<PushStore> {
  const store = services.once(openPush);
  await prune(services, store);
  return store;
}

/** @throws Problem `request.not-found`, also when it is another person's. */
async function mineOf(call: AnyCall & Pick<Call<unknown, unknown>, "params">): Promise<{
  readonly store: PushStore;
  readonly device: Subscription;
}> {
  const store = await storeOf(call);
  const device = ownIn(store, call).find(({ id }) => id === call.params["id"]);
  if (device === undefined) throw new Problem("request.not-found", told({ detail: TEXT.noDevice }));
  return { store, device };
}

/** What a person sees and takes back is theirs. */
function ownIn(store: PushStore, { credential }: AnyCall): readonly Subscription[] {
  return store.list().filter(isOf(credential?.for ?? OWNER));
}

// A gateway whose browsers are told, on a clock that the test moves.
import { callsTool, fakeClock, says } from "@margay/core/testing";
import { expect } from "vitest";
import { logIn, type Browser } from "../gateway/browser.ts";
import { startGateway, type GatewayPlaceOptions, type Owner, type TestGateway } from "../gateway/support.ts";
import { startPushService, type PushService, type Subscribed } from "./push-service.ts";

export interface Place {
  readonly gateway: TestGateway;
  readonly service: PushService;
  readonly clock: ReturnType<typeof fakeClock>;
  /** A browser that is told. */
  device(person?: string): Promise<Device>;
  /** A turn that asks, in a conversation of the pages. @returns the question. */
  asks(by?: Browser): Promise<Question>;
  answer(question: Question): Promise<void>;
  /** `expect.poll`, while time goes on. */
  until<Value>(read: () => Value | Promise<Value>): ReturnType<typeof expect.poll<Value>>;
  /** Time goes on, with room for what it leads to. */
  passes(ms?: number): Promise<void>;
}

export interface Device {
  readonly browser: Browser;
  readonly id: string;
  readonly subscribed: Subscribed;
  /** What it was told so far. */
  told(): readonly Told[];
}

export interface Told {
  readonly count: number;
  readonly to: string;
  readonly quiet: boolean;
  readonly language: string;
}

export interface Question {
  readonly session: string;
  readonly call: string;
  readonly hash: string;
}

const said = { parts: [{ type: "text", text: "the secret word is canary" }] };

export async function pushPlace(
  t: Owner,
  { config = {}, ...options }: Omit<GatewayPlaceOptions, "config" | "clock"> & { readonly config?: object } = {},
  service?: PushService,
): Promise<Place> {
  const started = service ?? (await startPushService(t));
  const clock = fakeClock();
  const gateway = await startGateway(t, {
    ...options,
    clock,
    config: {
      policy: { rules: [{ tool: "recall", action: "ask" }] },
      tools: { webFetch: { allowHosts: [started.host] } },
      gateway: { limits: { requestsPerMinute: 100_000 } }, // time stands
      ...config,
    } as never,
  });
  const pending = async (): Promise<readonly Question[]> => (await gateway.api("/approvals?state=pending")).body.items;
  return {
    gateway,
    service: started,
    clock,
    device: async (person) => {
      const browser = await logIn(gateway, person);
      const { key } = (await browser.api("/push")).body;
      const subscribed = started.subscribe(String(key));
      const { body, status } = await browser.api("/push", { method: "POST", body: handed(subscribed) });
      expect(status).toBe(201);
      const told = (): readonly Told[] => subscribed.messages.map(({ text }) => JSON.parse(text) as Told);
      return { browser, id: String(body.id), subscribed, told };
    },
    asks: async (by) => {
      gateway.model.replies(callsTool("recall", { query: "canary" }));
      const { status, body } = await (by ?? gateway).api("/sessions", { method: "POST", body: { message: said } });
      expect(status).toBe(201);
      const fresh = async (): Promise<Question | undefined> =>
        (await pending()).find(({ session }) => session === body.id);
      await expect.poll(fresh, { interval: 20 }).toBeDefined();
      return (await fresh()) as Question; // waited for above
    },
    answer: async ({ session, call, hash }) => {
      gateway.model.replies(says("I see, canary."));
      const path = `/sessions/${session}/approvals/${call}`;
      const { status } = await gateway.api(path, { method: "POST", body: { verdict: "deny", hash } });
      expect(status).toBe(200);
    },
    until: (read) =>
      // oxlint-disable-next-line vitest/require-awaited-expect-poll -- whoever asks awaits it
      expect.poll(
        async () => {
          await clock.advance(300);
          return read();
        },
        { interval: 20 },
      ),
    passes: async (ms = 6_000) => {
      for (let step = 0; step < 12; step++) {
        await clock.advance(ms / 12);
        await gateway.api("/push");
      }
    },
  };
}

export function handed({ endpoint, keys }: Pick<Subscribed, "endpoint" | "keys">): object {
  return { endpoint, keys, language: "en" };
}

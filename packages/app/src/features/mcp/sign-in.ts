/** Sign-ins that a browser finishes at our own address: each `state` is good for one answer, within ten minutes. */
import { randomBytes } from "node:crypto";
import { type Clock } from "@margay/core";
import { messageOf } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { signInAt } from "./service.ts";
import { Problem } from "../../host/api/problem.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

export interface SignIns {
  /** @returns the page to open. @throws Problem `mcp.invalid` when the server wants no sign-in, or cannot be asked. */
  start(server: string, redirectUrl: string): Promise<{ readonly url: string; readonly expiresAt: number }>;
  /** @returns false for a state that was used, is too old, or never was. */
  finish(params: URLSearchParams): boolean;
}

const VALID_MS = 600_000;
const MAX_OPEN = 20;

interface Flow {
  readonly answer: (params: URLSearchParams) => void;
  readonly expiresAt: number;
}

export function createSignIns(app: App): SignIns {
  const flows = new Map<string, Flow>();
  const { clock, log, inside } = app;
  const drop = (clock: Pick<Clock, "now">): void => {
    for (const [state, flow] of flows) if (flow.expiresAt <= clock.now()) flows.delete(state);
    const oldest = flows.size >= MAX_OPEN ? flows.keys().next().value : undefined;
    if (oldest !== undefined) flows.delete(oldest);
  };
  return {
    start: async (server, redirectUrl) => {
      drop(clock);
      const state = randomBytes(24).toString("base64url");
      const expiresAt = clock.now() + VALID_MS;
      const shown = Promise.withResolvers<string>();
      const answered = Promise.withResolvers<URLSearchParams>();
      const end = AbortSignal.timeout(VALID_MS);
      const done = signInAt(
        server,
        inside.loaded(),
        {
          redirectUrl,
          state,
          show: (url) => {
            flows.set(state, { answer: answered.resolve, expiresAt });
            shown.resolve(url.href);
          },
          code: () => {
            end.throwIfAborted();
            end.addEventListener("abort", () => answered.reject(new Error("nobody signed in within ten minutes")));
            return answered.promise;
          },
        },
        end,
      );
      done.then(
        () => {
          shown.reject(new Problem("mcp.invalid", told({ detail: TEXT.asksForNo }, { server })));
          app.audit.record("mcp.signed-in", { server });
          void inside.mcp?.find(server)?.reconnect();
        },
        (error: unknown) => {
          const message = inside.redact(messageOf(error));
          shown.reject(new Problem("mcp.invalid", told({ detail: TEXT.signInFailed }, { server, message })));
          log.warn("mcp.sign-in", { server, message });
        },
      );
      return { url: await shown.promise, expiresAt };
    },
    finish: (params) => {
      const state = params.get("state") ?? "";
      const flow = flows.get(state);
      flows.delete(state);
      if (flow === undefined || flow.expiresAt <= clock.now()) return false;
      flow.answer(params);
      return true;
    },
  };
}

/** `margay gateway`: the HTTP server over a composed app, and agent, channels and schedule beside it in one process. */
import type { App } from "../../app.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../../host/http/server.ts";
import { openDoor } from "../../host/control/server.ts";
import { liveConfig } from "../../host/settings/live-config.ts";
import { runParts } from "../../host/run-parts.ts";

/** With `setup`, agent, channels and schedule wait until the first password was set in the browser. */
type StartGatewayOptions = Omit<GatewayOptions, "app">;

export interface RunningGateway {
  readonly gateway: Gateway;
  /** Says goodbye to everybody and lets work in hand come to its next commit. */
  stop(): Promise<void>;
}

/** @throws the system's error when the address cannot be used. */
export async function startGateway(app: App, options: StartGatewayOptions): Promise<RunningGateway> {
  const left = new AbortController();
  app.inside.platforms.hooks.serve(); // before the channels run
  const isSetUp = Promise.withResolvers<void>();
  const gateway = await createGateway({
    ...options,
    app,
    events: {
      ...options.events,
      setUp: () => {
        isSetUp.resolve();
        options.events?.setUp?.();
      },
    },
  });
  const door = await openDoor(app, { ...options, services: gateway.services }).catch(async (error: unknown) => {
    await gateway.close(0);
    throw error;
  });
  if (options.setup !== true || gateway.auth.hasPassword()) isSetUp.resolve();
  const run = async (): Promise<void> => {
    await isSetUp.promise;
    if (left.signal.aborted) return;
    const { agent, schedule } = app;
    const { parts: beside } = await options.surface();
    const parts = [
      { name: "agent", run: (signal: AbortSignal) => agent.run(signal, gateway.working) },
      ...schedule.parts,
      liveConfig(app, options.loadOptions),
      ...beside.map((make) => make(gateway.services)),
    ];
    const { exec } = app.inside.loaded().config.tools;
    if (exec.enabled && exec.sandbox === "none") app.audit.record("sandbox.off", { by: "config" });
    await runParts(parts, app, left.signal);
  };
  const parts = run();
  return {
    gateway,
    stop: async () => {
      const { shutdownMs } = app.inside.loaded().config.gateway;
      const closed = gateway.close(shutdownMs);
      left.abort(new Error("the gateway was stopped"));
      isSetUp.resolve();
      await closed;
      await parts;
      await door[Symbol.asyncDispose]();
    },
  };
}

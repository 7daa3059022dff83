/** What this process is and how it is doing. */
import { readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { App } from "../../app.ts";
import type { Language } from "../../texts/text.ts";
import { translator } from "../../texts/translate.ts";
import { sandboxFaultText } from "../../host/sandbox.ts";
import { takesRecordings } from "../../models/transcriber.ts";
import { unseenIn } from "../../host/unseen.ts";
import type { Services } from "../../host/api/services.ts";
import type { SystemView } from "./schema.ts";
import { pendingRestart } from "../../host/settings/view.ts";

/** Walking thousands of journals for each look would be felt. */
const SIZE_KEPT_MS = 60_000;

export async function systemView(services: Services, language: Language): Promise<SystemView> {
  const { app, build, once } = services;
  const loaded = app.inside.loaded();
  const { gateway } = app.loaded.config;
  const loopback = /^(127\.|localhost$|\[?::1\]?$)/.test(gateway.host);
  return {
    version: version(),
    build,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    uptimeMs: Math.round(process.uptime() * 1000),
    life: once(lifeOf),
    profile: loaded.config.profile,
    language: app.language,
    timeZone: loaded.timeZone,
    workspace: loaded.workspace,
    practice: app.practice,
    ...(services.starting() && { starting: true as const }),
    stateBytes: await once(stateSize).bytes(),
    rss: process.memoryUsage.rss(),
    eventLoopDelayMs: once(loopDelay).p99(),
    exposure: {
      bind: new URL(services.origin()).host,
      tls: gateway.tls !== null,
      public: !loopback || loaded.config.gateway.publicUrl !== null,
      plain:
        gateway.tls === null &&
        ((!loopback && gateway.trustedProxies.length === 0) ||
          loaded.config.gateway.publicUrl?.startsWith("http:") === true),
    },
    sandbox: await sandboxView(app, language),
    ...(app.inside.hold.since !== undefined && { scheduleHeldSince: app.inside.hold.since }),
    notifications: unseenIn(services),
    storage: storageView(app),
    supervised: services.restart !== undefined,
    transcription: takesRecordings(loaded.config),
    pendingRestart: [...pendingRestart(services)],
  };
}

function lifeOf({ ids }: App): string {
  return ids.next("life");
}

function storageView({ inside }: App): SystemView["storage"] {
  const fault = inside.storageFault();
  return fault === undefined ? { ok: true } : { ok: false, reason: inside.redact(fault.message) };
}

async function sandboxView({ inside }: App, language: Language): Promise<SystemView["sandbox"]> {
  const commands = inside.loaded().config.tools.exec.enabled;
  const status = await inside.sandbox.status();
  const { kind, ok, command } = status;
  if (ok) return { kind, ok, commands };
  const reason = inside.redact(sandboxFaultText(status, translator(language)));
  return { kind, ok, commands, reason, ...(command !== undefined && { command }) };
}

/** From the package's own description: the sources and the bundle lie at different depths below it. */
export function version(): string {
  for (const up of ["..", "../..", "../../.."])
    try {
      const description = JSON.parse(readFileSync(new URL(`${up}/package.json`, import.meta.url), "utf8")) as Readonly<
        Record<string, unknown>
      >;
      if (typeof description["bin"] === "object" && typeof description["version"] === "string")
        return description["version"];
    } catch {
      // not at this depth
    }
  return "unknown";
}

function stateSize({ clock, loaded: { places, workspace } }: App): { bytes(): Promise<number> } {
  let kept: { readonly at: number; readonly bytes: Promise<number> } | undefined;
  return {
    bytes: () => {
      if (kept === undefined || clock.monotonic() - kept.at > SIZE_KEPT_MS)
        kept = { at: clock.monotonic(), bytes: bytesBelow(places.home, workspace) };
      return kept.bytes;
    },
  };
}

async function bytesBelow(directory: string, without: string): Promise<number> {
  let sum = 0;
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    const path = join(directory, entry.name);
    if (path === without) continue;
    if (entry.isDirectory()) sum += await bytesBelow(path, without);
    else if (entry.isFile())
      sum += await stat(path).then(
        ({ size }) => size,
        () => 0,
      ); // it went meanwhile
  }
  return sum;
}

function loopDelay(): { p99(): number } {
  const { monitorEventLoopDelay } = process.getBuiltinModule("node:perf_hooks");
  const histogram = monitorEventLoopDelay({ resolution: 10 });
  histogram.enable();
  return {
    p99: () => {
      const ms = histogram.percentile(99) / 1e6;
      histogram.reset();
      return Number.isFinite(ms) ? Math.round(ms * 10) / 10 : 0;
    },
  };
}

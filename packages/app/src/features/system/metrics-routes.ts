/** `/metrics` for Prometheus: what was counted, and how things stand at this moment. */
import { readdirSync } from "node:fs";
import { channelShelf, openChannelFolder } from "@margay/core/internal";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { kindOf } from "../../config/channel-ids.ts";
import { findPluginKind } from "../../models/channel-kinds.ts";
import { createOutboxIndex } from "../../host/live/outbox-index.ts";
import type { Gauge } from "../../host/http/metrics.ts";
import { route, type Route } from "../../host/api/route.ts";
import type { Services } from "../../host/api/services.ts";
import { version } from "./overview.ts";

export const METRICS_ROUTES: readonly Route[] = [
  route({
    id: "getMetrics",
    method: "GET",
    path: "/!/metrics",
    scope: "metrics",
    summary: "Counters and gauges in Prometheus' text format",
    handle: async ({ services }) => ({
      raw: services.metrics.text(await gauges(services)),
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    }),
  }),
];

async function gauges(services: Services): Promise<readonly Gauge[]> {
  const { app, rates, once } = services;
  const pending = (await once(createOutboxIndex).list()).filter(({ state }) => state === "pending");
  const oldest = pending.at(-1)?.at;
  const delay = once(loopDelay);
  const { user, system } = process.cpuUsage();
  return [
    { name: "margay_build_info", labels: { version: once(version) }, value: 1 },
    { name: "margay_outbox_pending", value: pending.length },
    { name: "margay_outbox_oldest_seconds", value: oldest === undefined ? 0 : (app.clock.now() - oldest) / 1000 },
    ...(await ofChannels(services)),
    { name: "margay_ws_connections", value: rates.held("sockets") },
    ...[0.5, 0.99].map((quantile) => ({
      name: "margay_event_loop_delay_seconds",
      labels: { quantile: String(quantile) },
      value: secondsAt(delay, quantile),
    })),
    { name: "process_cpu_seconds_total", value: (user + system) / 1e6, type: "counter" },
    { name: "process_resident_memory_bytes", value: process.memoryUsage.rss() },
    { name: "process_start_time_seconds", value: Math.round(app.clock.now() / 1000 - process.uptime()) },
    ...openFiles(),
  ];
}

/** Of each: how it is, what waits there, and how long ago what happened. */
async function ofChannels({ app, once }: Services): Promise<readonly Gauge[]> {
  const { config, places } = app.inside.loaded();
  const outbox = await once(createOutboxIndex).list();
  const now = app.clock.now();
  return Object.keys(config.channelsById).flatMap((channel) => {
    const status = app.inside.platforms.status(channel);
    const { state, lastIn, lastOut, limitedUntil, reconnects, reactions } = status ?? {};
    const kind = kindOf(channel, config.channelsById);
    const kept = openChannelFolder(channelShelf(places.channels, channel, places.docs), app.clock);
    const count = (wanted: string): number =>
      outbox.filter((item) => item.to.channel === channel && item.state === wanted).length;
    const ago = (at: number | undefined): number | undefined => at && (now - at) / 1000;
    const values = {
      up: state === "up" || state === "degraded" ? 1 : 0,
      degraded: state === "degraded" ? 1 : 0,
      reconnects,
      waiting: count("pending"),
      held: count("held"),
      uncertain: count("uncertain"),
      failed: count("failed"),
      reactions: reactions ?? 0,
      dead_letters: kept.deadLetters(),
      limited_seconds: limitedUntil === undefined ? 0 : (limitedUntil - now) / 1000,
      state_age_seconds: ago(status?.since),
      last_frame_age_seconds: ago(status?.lastFrame),
      last_in_age_seconds: ago(lastIn),
      last_out_age_seconds: ago(lastOut),
      cursor_age_seconds: ago(kept.cursorAt()),
    };
    const gauges = Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name: `margay_channel_${name}`, labels: { channel }, value }],
    );
    // What is no number, as labels of a one: the usual way.
    const once = kind === "webhook" ? "key" : (findPluginKind(kind, places)?.manifest.can.once ?? "unknown");
    const labels = { channel, kind, state: state ?? "off", once };
    return [{ name: "margay_channel_info", labels, value: 1 }, ...gauges];
  });
}

/** Measures from the first look on. */
function loopDelay(): ReturnType<typeof monitorEventLoopDelay> {
  const histogram = monitorEventLoopDelay({ resolution: 10 });
  histogram.enable();
  return histogram;
}

function secondsAt(histogram: ReturnType<typeof monitorEventLoopDelay>, quantile: number): number {
  const nanoseconds = histogram.percentile(quantile * 100);
  return Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0;
}

function openFiles(): readonly Gauge[] {
  try {
    return [{ name: "process_open_fds", value: readdirSync("/proc/self/fd").length }];
  } catch {
    return []; // no /proc here
  }
}

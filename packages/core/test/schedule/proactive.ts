// An agent that speaks up by itself: heartbeat, greeting, and two chats in which persons write.
import { writeFile } from "node:fs/promises";
import { readTextFile } from "../../src/machine/system/environment.ts";
import { openJournalDirectory } from "../../src/journal/directory.ts";
import { openNotifications } from "../../src/audit/notifications.ts";
import type { Notifications } from "../../src/contract/notification.ts";
import type { GreetingService, ScheduleTarget } from "../../src/contract/schedule.ts";
import { createGreeting, type GreetingSettings } from "../../src/schedule/greeting.ts";
import { createHeartbeat, type Heartbeat, type HeartbeatSettings } from "../../src/schedule/heartbeat.ts";
import { createLastActive } from "../../src/schedule/last-active.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { fakeClock, recordingChannel, says } from "../../src/testing.ts";
import { type RecordingChannel } from "../../src/internal-testing.ts";
import type { Agent } from "../../src/contract/agent.ts";
import { startAgent, type Started } from "../support/agent.ts";
import { until } from "./support.ts";
import { collectingLog, type CollectingLog } from "../support/log.ts";

export interface Proactive extends Started {
  readonly heartbeat: Heartbeat;
  readonly greeting: GreetingService;
  readonly chat: RecordingChannel;
  readonly scheduleLog: CollectingLog;
  readonly notifications: Notifications;
  /** Starts both services; ended with the test. Resolves when both are asleep. */
  go(): Promise<void>;
  /**
   * Moves the clock to the next slots of greetings, one after the other, and waits at each until both services are asleep again:
   * they read journals and ask the model, for which a clock that moves does not wait.
   */
  slots(count: number): Promise<void>;
  tasks(text: string): Promise<void>;
  /** A person writes in `chat:{chat}` and is answered. */
  writes(chat: string, text?: string): Promise<void>;
  again(): Promise<Proactive>;
}
export interface ProactiveScene {
  readonly heartbeat?: Partial<HeartbeatSettings>;
  readonly greeting?: Partial<GreetingSettings>;
  /** Default: the chat in which a person wrote last. */
  readonly target?: ScheduleTarget;
  /** UTC. Default: noon. */
  readonly start?: number;
}
type TestScope = Parameters<typeof startAgent>[0];

export async function startProactive(t: TestScope, scene: ProactiveScene = {}): Promise<Proactive> {
  const started = await startAgent(t);
  const clock = scene.start === undefined ? started.clock : fakeClock(scene.start);
  return open(t, scene, { ...started, clock });
}

async function open(t: TestScope, scene: ProactiveScene, before: Started): Promise<Proactive> {
  const { clock, home, workspace, model } = before;
  const chat = recordingChannel("chat");
  const scheduleLog = collectingLog();
  const held: { agent?: Agent } = {};
  const host = (): Agent => {
    if (held.agent === undefined) throw new Error("not started");
    return held.agent;
  };
  const sessions = (): Agent["sessions"] => host().sessions;
  const lastActive = createLastActive({ sessions, counts: (channel) => channel === "chat" });
  const lastWord = createLastActive({ sessions, counts: () => true });
  const notifications = openNotifications({ path: `${home}/notifications.jsonl`, clock, log: scheduleLog });
  const target = async (): Promise<ScheduleTarget> => {
    if (scene.target !== undefined) return scene.target;
    const to = (await lastActive.find())?.origin;
    return to === undefined ? {} : { to };
  };
  const common = { host, target, notify: notifications.add, clock, log: scheduleLog };
  const heartbeat = createHeartbeat({
    ...common,
    settings: () => ({ enabled: true, intervalMs: 1_800_000, timeZone: "UTC", ...scene.heartbeat }),
    readTasks: (signal) => readTextFile(workspace)("HEARTBEAT.md", signal),
  });
  const greeting = createGreeting({
    ...common,
    lastConversation: async () => (await lastWord.find())?.session,
    settings: () => ({
      enabled: true,
      idleMs: 4 * 3_600_000,
      maxPerDay: 2,
      quiet: { from: 21, to: 8 },
      timeZone: "UTC",
      language: "en",
      name: "margay",
      ...scene.greeting,
    }),
  });
  const started = await before.restart({
    clock,
    channels: [chat, heartbeat.channel, greeting.channel],
    sessions: openSessions({
      journals: openJournalDirectory(`${home}/sessions`),
      clock,
      observers: [lastActive.observer, lastWord.observer],
    }),
  } as never); // a clock of its own, which startAgent does not offer
  held.agent = started.agent;
  const stopping = new AbortController();
  const running: Promise<void>[] = [];
  const close = async (): Promise<void> => {
    stopping.abort(new Error("stop"));
    await Promise.all(running);
  };
  t.onTestFinished(close);
  let written = 0;
  let sleepers = 0;
  const asleep = (): Promise<void> => until(() => Promise.resolve(clock.pending().length >= sleepers));
  return {
    ...started,
    clock,
    heartbeat,
    greeting,
    chat,
    scheduleLog,
    notifications,
    go: () => {
      sleepers = clock.pending().length + 2;
      running.push(heartbeat.run(stopping.signal), greeting.run(stopping.signal));
      return asleep();
    },
    slots: async (count) => {
      for (let slot = 0; slot < count; slot++) {
        const { nextSlot = clock.now() } = await greeting.view();
        await clock.advance(nextSlot - clock.now());
        await asleep();
      }
    },
    tasks: (text) => writeFile(`${workspace}/HEARTBEAT.md`, text),
    writes: async (to, text = "hello") => {
      model.replies(says(`answer to ${text}`));
      const origin = { channel: "chat", chat: to };
      await started.agent.send(`chat:${to}`, text, { origin, key: `${to}-${clock.now()}-${(written += 1)}` }).finished;
      await started.agent.idle();
    },
    again: async () => {
      await close();
      return open(t, scene, { ...started, clock });
    },
  };
}

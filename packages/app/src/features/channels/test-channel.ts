/** "Test this channel": settings → reach → receiving → one message. */
import type { Json } from "@margay/core";
import type { ChannelConfig } from "../../config/config.ts";
import { createChannel } from "./list.ts";
import type { Language } from "../../texts/text.ts";
import { sendTest } from "../../compose/manage-channels.ts";
import { reach, reasonOf } from "../../models/connection.ts";
import type { TestResult } from "../../protocol/test-result.ts";
import type { Services } from "../../host/api/services.ts";
import { runSteps, StepFault } from "../../host/api/test-steps.ts";
import { words } from "../../host/api/words.ts";

const CONNECT_MS = 10_000;

export async function testChannel(
  id: string,
  config: ChannelConfig,
  to: string | undefined,
  { services: { app }, language }: { readonly services: Services; readonly language: Language },
  signal: AbortSignal,
): Promise<TestResult> {
  const say = (en: string, zh: string, values: Readonly<Record<string, string | number>> = {}): string =>
    words(language, { en, "zh-CN": zh }, values);
  return runSteps(
    [
      {
        id: "credentials",
        title: { en: "Settings are complete", "zh-CN": "设置完整" },
        run: () => {
          createChannel(id, config, { clock: app.clock, log: app.log });
          return undefined;
        },
      },
      {
        id: "reach",
        title: { en: "The platform is reached", "zh-CN": "连接到平台" },
        run: async (stop) => {
          const url = urlOf(config.options?.["url"] ?? config.baseUrl);
          if (url === undefined)
            return { skipped: say("No address is set: nothing can be sent.", "未设置地址，无法发送。") };
          return reach(url, AbortSignal.any([stop, AbortSignal.timeout(CONNECT_MS)])).catch((error: unknown) => {
            throw new StepFault(
              "channel.failed",
              say("{host} was not reached: {reason}", "无法连接 {host}：{reason}", {
                host: url.host,
                reason: reasonOf(error),
              }),
              say("Check the address and whether the receiver runs.", "请检查地址以及接收端是否在运行。"),
            );
          });
        },
      },
      {
        id: "receive",
        title: { en: "Messages can come in", "zh-CN": "可以接收消息" },
        run: () => {
          const status = app.inside.platforms.status(id);
          if (status?.state === "retrying" || status?.state === "failed")
            throw new StepFault("channel.failed", status.error ?? status.state);
          if (typeof config.options?.["port"] !== "number")
            return { skipped: say("No port is set: it only sends.", "未设置端口，仅发送。") };
          if (status === undefined) return { skipped: say("It runs after a restart.", "重启后运行。") };
          return say("since {time}", "自 {time} 起", { time: new Date(status.since).toISOString() });
        },
      },
      {
        id: "message",
        title: { en: "A message is delivered", "zh-CN": "消息可以送达" },
        run: async (stop) => {
          if (to === undefined) return { skipped: say("No chat was named.", "未指定聊天。") };
          const text = say("A test message from margay.", "来自 margay 的测试消息。");
          await sendTest({ channel: id, chat: to, text }, config, stop);
          return undefined;
        },
      },
    ],
    { language, clock: app.clock, redact: redactor(config, app.inside.redact), signal },
  );
}

/** A draft's secrets are known to no redactor yet. */
function redactor(config: ChannelConfig, redact: (text: string) => string): (text: string) => string {
  const secrets = [config.token, config.secret, ...Object.values(config.options ?? {})].filter(
    (value): value is string => typeof value === "string" && value.length >= 8,
  );
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), redact(text));
}

function urlOf(value: Json | undefined): URL | undefined {
  return typeof value === "string" ? (URL.parse(value) ?? undefined) : undefined;
}

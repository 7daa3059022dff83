/** Texts of `margay channels`. */
export const CHANNEL_TEXTS = {
  "target.unknown": {
    en: "there is no channel {channel}; there is {names}. Choose another chat.",
    "zh-CN": "没有渠道 {channel}；可用的有 {names}。请选择其他聊天。",
  },
  "target.off": {
    en: "the channel {channel} is switched off, so nobody would get it. Run `margay config set channels.{channel}.enabled true`, or choose another chat.",
    "zh-CN":
      "渠道 {channel} 已关闭，没有人能收到。请运行 `margay config set channels.{channel}.enabled true`，或选择其他聊天。",
  },
  "target.ours": {
    en: "{channel} is no chat that something can be sent to. Use `last`, `web` (a notification on the pages), or `channel:chat` of a chat platform.",
    "zh-CN": "{channel} 不是可以发送消息的聊天。请使用 `last`、`web`（页面上的通知），或聊天平台的 `channel:chat`。",
  },
  "target.shared": {
    en: "somebody else reads along in {chat}. Choose a chat of your own, `last`, or `web`.",
    "zh-CN": "{chat} 中有其他人在阅读。请选择您自己的聊天、`last` 或 `web`。",
  },
  "about.channels": { en: "where people write to margay, and who may", "zh-CN": "聊天渠道及允许的发送者" },
  "about.channels.list": { en: "the channels of the configuration", "zh-CN": "配置中的渠道" },
  "about.channels.test": { en: "send a test message through a channel", "zh-CN": "通过渠道发送测试消息" },
  "about.channels.pair": { en: "admit the sender who was given this code", "zh-CN": "允许获得该配对码的发送者" },
  "about.channels.unpair": { en: "no longer admit a paired sender", "zh-CN": "取消已配对的发送者" },
  "opt.channels.chat": { en: "chat that gets the message", "zh-CN": "接收消息的会话" },
  "opt.channels.operator": {
    en: "the sender may approve calls and stop everything",
    "zh-CN": "该发送者可以批准调用和停止全部工作",
  },
  "channels.none": {
    en: "No channel is configured. Set one: `margay config set channels.webhook.enabled true`.",
    "zh-CN": "尚未配置渠道。可运行 `margay config set channels.webhook.enabled true`。",
  },
  "channels.on": { en: "on", "zh-CN": "启用" },
  "channels.off": { en: "off", "zh-CN": "停用" },
  "channels.isUnknown": { en: "unknown", "zh-CN": "未知" },
  "channels.everyone": { en: "everyone may write", "zh-CN": "任何人可写入" },
  "channels.senders": { en: "{listed} listed, {paired} paired", "zh-CN": "名单 {listed} 人，已配对 {paired} 人" },
  "channels.unknown": {
    en: "No channel {name} is configured.{hint} List them with `margay channels list`.",
    "zh-CN": "未配置渠道 {name}。{hint} 用 `margay channels list` 查看列表。",
  },
  "channels.testText": { en: "This is a test message of margay.", "zh-CN": "这是 margay 的测试消息。" },
  "channels.sent": { en: "{name} took the test message.", "zh-CN": "{name} 已接收测试消息。" },
  "channels.paired": { en: "{sender} may write on {channel} now.", "zh-CN": "{sender} 现在可以在 {channel} 上写入。" },
  "channels.badCode": {
    en: "No such code waits: it is wrong or older than ten minutes. Ask the sender to write again for a new one.",
    "zh-CN": "没有等待中的该配对码：可能有误或已超过十分钟。请让对方重新发消息获取新码。",
  },
  "channels.unpaired": {
    en: "{sender} is not paired on {channel} any more.",
    "zh-CN": "{sender} 已不再与 {channel} 配对。",
  },
  "channels.notPaired": {
    en: "{sender} is not paired on {channel}. See `margay channels list --json`; ids of allowFrom are in the configuration.",
    "zh-CN": "{sender} 未与 {channel} 配对。参见 `margay channels list --json`；allowFrom 中的 id 在配置里。",
  },
} as const;

import type { Texts } from "@margay/core/internal";
import type { CHANNEL_TEXTS } from "./texts.en.ts";

export const CHANNEL_TEXTS_ZH: Texts<typeof CHANNEL_TEXTS> = {
  "target.unknown": "没有渠道 {channel}；可用的有 {names}。请选择其他聊天。",
  "target.agent": "没有可供其聊天读者使用的智能体 {agent}：参见 `agents.*.for`。",
  "target.withheld":
    "其中有属于 {person} 的内容，而它的聊天现在由另一些人阅读。须由其所有者本人来做：请在自己的聊天中重新创建任务。",
  "target.nobody": "任务所属的人 {person} 已不存在。",
  "target.off":
    "渠道 {channel} 已关闭，没有人能收到。请运行 `margay config set channels.{channel}.enabled true`，或选择其他聊天。",
  "target.answersOnly": "{channel} 的平台只接受回答：无人询问的内容无法送达。请选择其他聊天，或 `web`。",
  "target.ours":
    "{channel} 不是可以发送消息的聊天。请使用 `last`、`web`（页面上的通知），或聊天平台的 `channel:chat`。",
  "target.shared": "{chat} 中有其他人在阅读。请选择您自己的聊天、`last` 或 `web`。",
  "about.channels": "聊天渠道及允许的发送者",
  "about.channels.list": "配置中的渠道",
  "about.channels.test": "通过渠道发送测试消息",
  "about.channels.status": "各渠道的状态、最近收发与等待中的内容",
  "about.channels.waiting": "尚未送达或无法确认是否送达的回复",
  "about.channels.send": "立即发送这样的回复：仅发送不确定已发出的部分",
  "about.channels.drop": "不再发送这样的回复",
  "about.channels.pair": "允许获得该配对码的发送者",
  "about.channels.unpair": "取消已配对的发送者",
  "opt.channels.chat": "接收消息的会话",
  "opt.channels.person": "该发送者就是此人：`owner` 表示您自己，或 `margay people list` 中的某人",
  "channels.whoseCode": "`--operator` 和 `--person` 只能给出一个。",
  "opt.channels.operator": "该发送者可以批准调用和停止全部工作",
  "channels.none": "尚未配置渠道。可运行 `margay config set channels.webhook.enabled true`。",
  "channels.on": "启用",
  "channels.off": "停用",
  "channels.isUnknown": "未知",
  "channels.everyone": "任何人可写入",
  "channels.senders": "本人账号 {own} 个，人员身份 {persons} 个，名单 {listed} 人，已配对 {paired} 人",
  "channels.unknown": "未配置渠道 {name}。{hint} 用 `margay channels list` 查看列表。",
  "channels.testText": "这是 margay 的测试消息。",
  "channels.sent": "{name} 已接收测试消息。",
  "channels.times": "自 {since}，最近收到 {in}，最近发出 {out}",
  "channels.counts":
    "等待 {pending}，待对方来信 {held}，不确定 {uncertain}，失败 {failed}，无法读懂 {dead}，24 小时内重连 {reconnects} 次，表情回应 {reactions} 个",
  "channels.nothingWaits": "没有待投递的消息。",
  "channels.reply.pending": "等待中",
  "channels.reply.held": "待对方来信",
  "channels.reply.uncertain": "不确定",
  "channels.reply.failed": "已放弃",
  "channels.replySent": "{reply} 已发出。",
  "channels.replyWaits": "{reply} 将在渠道可以发送时发出，参见 `margay channels waiting`。",
  "channels.replyDropped": "{reply} 不再发送。",
  "channels.paired": "{sender} 现在可以在 {channel} 上写入。",
  "channels.badCode": "没有等待中的该配对码：可能有误或已超过十分钟。请让对方重新发消息获取新码。",
  "channels.unpaired": "{sender} 已不再与 {channel} 配对。",
  "channels.notPaired":
    "{sender} 未与 {channel} 配对。参见 `margay channels list --json`；allowFrom 中的 id 在配置里。",
};

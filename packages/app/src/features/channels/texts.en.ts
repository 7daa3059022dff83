/** Texts of `margay channels`. */
export const CHANNEL_TEXTS = {
  "target.unknown": "there is no channel {channel}; there is {names}. Choose another chat.",
  "target.agent": "there is no agent {agent} for who reads its chat: see `agents.*.for`.",
  "target.withheld":
    "It holds what belongs to {person}, and others read its chat now. Its owner must do it: make the job again in their own chat.",
  "target.nobody": "There is no person {person} any more, whose job it is.",
  "target.off":
    "the channel {channel} is switched off, so nobody would get it. Run `margay config set channels.{channel}.enabled true`, or choose another chat.",
  "target.answersOnly":
    "the platform of {channel} takes answers alone: nothing that nobody asked for arrives there. Choose another chat, or `web`.",
  "target.ours":
    "{channel} is no chat that something can be sent to. Use `last`, `web` (a notification on the pages), or `channel:chat` of a chat platform.",
  "target.shared": "somebody else reads along in {chat}. Choose a chat of your own, `last`, or `web`.",
  "about.channels": "where people write to margay, and who may",
  "about.channels.list": "the channels of the configuration",
  "about.channels.test": "send a test message through a channel",
  "about.channels.status": "how each channel is, what came and left last, and what waits",
  "about.channels.waiting": "replies that have not arrived, or of which nobody knows whether they have",
  "about.channels.send": "send such a reply now: what of it has not left for certain",
  "about.channels.drop": "never send such a reply",
  "about.channels.pair": "admit the sender who was given this code",
  "about.channels.unpair": "no longer admit a paired sender",
  "opt.channels.chat": "chat that gets the message",
  "opt.channels.person": "the sender is this person: `owner` for yourself, or somebody of `margay people list`",
  "channels.whoseCode": "Say either --operator or --person.",
  "opt.channels.operator": "the sender may approve calls and stop everything",
  "channels.none": "No channel is configured. Set one: `margay config set channels.webhook.enabled true`.",
  "channels.on": "on",
  "channels.off": "off",
  "channels.isUnknown": "unknown",
  "channels.everyone": "everyone may write",
  "channels.senders": "{own} yours, {persons} of persons, {listed} listed, {paired} paired",
  "channels.unknown": "No channel {name} is configured.{hint} List them with `margay channels list`.",
  "channels.testText": "This is a test message of margay.",
  "channels.sent": "{name} took the test message.",
  "channels.times": "since {since}, last in {in}, last out {out}",
  "channels.counts":
    "{pending} waiting, {held} held, {uncertain} uncertain, {failed} failed, {dead} unreadable, {reconnects} reconnects in 24 h, {reactions} reactions",
  "channels.nothingWaits": "Nothing waits to be delivered.",
  "channels.reply.pending": "waits",
  "channels.reply.held": "held",
  "channels.reply.uncertain": "uncertain",
  "channels.reply.failed": "given up",
  "channels.replySent": "{reply} has left.",
  "channels.replyWaits": "{reply} leaves when its channel can send: see `margay channels waiting`.",
  "channels.replyDropped": "{reply} is not sent any more.",
  "channels.paired": "{sender} may write on {channel} now.",
  "channels.badCode":
    "No such code waits: it is wrong or older than ten minutes. Ask the sender to write again for a new one.",
  "channels.unpaired": "{sender} is not paired on {channel} any more.",
  "channels.notPaired":
    "{sender} is not paired on {channel}. See `margay channels list --json`; ids of allowFrom are in the configuration.",
} as const;

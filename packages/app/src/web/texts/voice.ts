/** Words of speaking a message: what happens, and what to do when it does not. */
import { texts, type Text } from "./texts.ts";

const VOICE = {
  start: { en: "Speak the message", zh: "语音输入" },
  label: { en: "Voice", zh: "语音" },
  asking: { en: "Waiting for the microphone…", zh: "正在等待麦克风…" },
  recording: { en: "Recording", zh: "正在录音" },
  writing: { en: "Writing it down…", zh: "正在转为文字…" },
  written: { en: "What you said is in the message.", zh: "您说的话已写入消息。" },
  discarded: { en: "Discarded", zh: "已放弃" },
  stop: { en: "Stop", zh: "停止" },
  stopWhy: { en: "Ends the recording and writes it down", zh: "结束录音并转为文字" },
  again: { en: "Try again", zh: "重试" },
  discard: { en: "Discard", zh: "放弃" },
  close: { en: "Close", zh: "关闭" },
  nothing: {
    en: "Nothing was recorded. Check the microphone and try again.",
    zh: "没有录到内容。请检查麦克风后重试。",
  },
  silence: { en: "No words were heard. Speak closer to the microphone.", zh: "没有听到话语。请靠近麦克风再说一次。" },
  refused: {
    en: "The browser does not give the microphone to this page. Allow it in the site settings of the browser.",
    zh: "浏览器不允许此页面使用麦克风。请在浏览器的网站设置中允许。",
  },
  missing: { en: "There is no microphone. Connect one and try again.", zh: "没有找到麦克风。请连接麦克风后重试。" },
  broken: {
    en: "The microphone could not be used. Close other programs that use it and try again.",
    zh: "无法使用麦克风。请关闭其他正在使用它的程序后重试。",
  },
  insecure: {
    en: "Speaking a message is not offered here: browsers give a microphone only to pages that came over https or from this machine. Open margay by https.",
    zh: "此处不提供语音输入：浏览器只允许通过 https 或来自本机的页面使用麦克风。请用 https 打开 margay。",
  },
  unsupported: {
    en: "Speaking a message is not offered here: this browser records no sound. Use another one.",
    zh: "此处不提供语音输入：此浏览器不支持录音。请换用其他浏览器。",
  },
} as const satisfies Readonly<Record<string, Text>>;

export const t = texts<keyof typeof VOICE>(VOICE);

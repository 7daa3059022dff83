import type { Texts } from "@margay/core/internal/state";
import type { en } from "./voice-texts.en.ts";

export const zh: Texts<typeof en> = {
  start: "语音输入",
  label: "语音",
  asking: "正在等待麦克风…",
  recording: "正在录音",
  writing: "正在转为文字…",
  written: "您说的话已写入消息。",
  discarded: "已放弃",
  stop: "停止",
  stopWhy: "结束录音并转为文字",
  again: "重试",
  discard: "放弃",
  close: "关闭",
  nothing: "没有录到内容。请检查麦克风后重试。",
  silence: "没有听到话语。请靠近麦克风再说一次。",
  refused: "浏览器不允许此页面使用麦克风。请在浏览器的网站设置中允许。",
  missing: "没有找到麦克风。请连接麦克风后重试。",
  broken: "无法使用麦克风。请关闭其他正在使用它的程序后重试。",
  insecure: "此处不提供语音输入：浏览器只允许通过 https 或来自本机的页面使用麦克风。请用 https 打开 margay。",
  unsupported: "此处不提供语音输入：此浏览器不支持录音。请换用其他浏览器。",
};

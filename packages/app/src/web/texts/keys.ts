/** What the shortcuts do, in words. */
import { texts, type Text } from "./texts.ts";

const KEYS = {
  "keys.palette": { en: "Search and commands", zh: "搜索与命令" },
  "keys.stop": { en: "Stop the turn", zh: "停止本轮" },
  "keys.new": { en: "New chat", zh: "新对话" },
  "keys.search": { en: "Search all conversations", zh: "搜索全部对话" },
  "keys.find": { en: "Find in this chat; again: the browser’s search", zh: "在此对话中查找；再按一次为浏览器查找" },
  "keys.other-mode": {
    en: "In the message field: send in the other way while an answer is written",
    zh: "在输入框中：回答进行时以另一种方式发送",
  },
  "keys.close": {
    en: "Close what is open: menu, dialog, page. Never stops, never discards.",
    zh: "关闭菜单、对话框或页面；不会停止，也不会丢弃",
  },
  "keys.item-actions": { en: "On an item: its actions", zh: "在某一项上：打开它的操作" },
  "keys.list": { en: "Show or hide the list", zh: "显示或隐藏列表" },
  "keys.panel": { en: "Show or hide the page beside the chat", zh: "显示或隐藏侧边页面" },
  "keys.rename": { en: "Rename the chat", zh: "重命名对话" },
  "keys.previous-chat": { en: "Previous chat", zh: "上一个对话" },
  "keys.next-chat": { en: "Next chat", zh: "下一个对话" },
  "keys.approval": {
    en: "To the oldest approval; then Y or N, Enter for its details",
    zh: "到最早的审批；然后按 Y 或 N，Enter 查看详情",
  },
  "keys.composer": { en: "To the message field", zh: "到输入框" },
  "keys.previous-own": { en: "Previous message of yours", zh: "您的上一条消息" },
  "keys.next-own": { en: "Next message of yours", zh: "您的下一条消息" },
  "keys.next-item": { en: "Next item", zh: "下一项" },
  "keys.previous-item": { en: "Previous item", zh: "上一项" },
  "keys.first-item": { en: "In the conversation: its first item", zh: "在对话中：第一项" },
  "keys.copy": { en: "Copy the focused item", zh: "复制所选项" },
  "keys.help": { en: "All shortcuts", zh: "全部快捷键" },
  "keys.next-region": { en: "Next region", zh: "下一区域" },
  "keys.previous-region": { en: "Previous region", zh: "上一区域" },
  "keys.read-answer": { en: "Read the last answer again to the screen reader", zh: "让屏幕阅读器重读最近的回答" },
} as const satisfies Readonly<Record<string, Text>>;

export const keyTexts = texts<keyof typeof KEYS>(KEYS);

import type { Texts } from "@margay/core/internal";
import type { PLUGIN_TEXTS } from "./texts.en.ts";

export const PLUGIN_TEXTS_ZH: Texts<typeof PLUGIN_TEXTS> = {
  "about.plugin": "按需安装的模型提供方与聊天平台插件",
  "about.plugin.list": "已知与已安装的插件",
  "about.plugin.add": "通过 npm 按名称、目录或压缩包安装插件",
  "about.plugin.remove": "卸载插件",
  "plugin.installed": "已安装",
  "plugin.beside": "与 margay 同处",
  "plugin.absent": "未安装",
  "plugin.runs": "正在运行：{command}",
  "plugin.added": "已安装 {name} {version}。模型写作 {id}/模型名；正在运行的 margay 下次启动时加载。",
  "plugin.addedChannel": "已安装 {name} {version}。请在“渠道”页面设置，或在 channels.{id} 下填写。",
  "plugin.removed": "已移除 {name}。",
};

/** Texts of `margay plugin`. */
export const PLUGIN_TEXTS = {
  "about.plugin": { en: "providers that are installed on demand", "zh-CN": "按需安装的提供方插件" },
  "about.plugin.list": { en: "known and installed plugins", "zh-CN": "已知与已安装的插件" },
  "about.plugin.add": {
    en: "install a plugin by name, folder or tarball, with npm",
    "zh-CN": "通过 npm 按名称、目录或压缩包安装插件",
  },
  "about.plugin.remove": { en: "uninstall a plugin", "zh-CN": "卸载插件" },
  "plugin.installed": { en: "installed", "zh-CN": "已安装" },
  "plugin.beside": { en: "beside margay", "zh-CN": "与 margay 同处" },
  "plugin.absent": { en: "not installed", "zh-CN": "未安装" },
  "plugin.runs": { en: "Running: {command}", "zh-CN": "正在运行：{command}" },
  "plugin.added": {
    en: "{name} {version} is installed. Models are written {id}/MODEL; a margay that runs loads it at its next start.",
    "zh-CN": "已安装 {name} {version}。模型写作 {id}/模型名；正在运行的 margay 下次启动时加载。",
  },
  "plugin.removed": { en: "{name} is removed.", "zh-CN": "已移除 {name}。" },
} as const;

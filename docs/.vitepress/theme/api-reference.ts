// Shows an OpenAPI document with Scalar, which the site serves itself.
import { useData, withBase } from 'vitepress';
import { defineComponent, h, onBeforeUnmount, onMounted, ref, watch } from 'vue';

interface Shown {
  updateConfiguration(configuration: object): void;
  destroy(): void;
}

declare global {
  interface Window {
    Scalar?: { createApiReference(element: HTMLElement, configuration: object): Shown };
  }
}

/** Loads the program only once, for all references. */
let loading: Promise<void> | undefined;
function loadScalar(): Promise<void> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = withBase('/reference/scalar.js');
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(`${script.src} cannot be loaded`));
    document.head.append(script);
  });
  return loading;
}

export const ApiReference = defineComponent({
  props: { name: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData();
    const element = ref<HTMLElement>();
    let shown: Shown | undefined;
    const configuration = () => ({
      url: withBase(`/openapi/${props.name}.json`),
      withDefaultFonts: false,
      // The site has a switch of its own. Interfaces answer no browser of another site, so nothing is sent from here.
      hideDarkModeToggle: true,
      forceDarkModeState: isDark.value ? 'dark' : 'light',
      hideTestRequestButton: true,
      hideClientButton: true,
      showDeveloperTools: 'never',
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      theme: 'none',
      // Ctrl+K is the site's own search.
      searchHotKey: 'j',
    });
    onMounted(async () => {
      await loadScalar();
      if (element.value) shown = window.Scalar?.createApiReference(element.value, configuration());
    });
    watch([() => props.name, isDark], () => shown?.updateConfiguration(configuration()));
    onBeforeUnmount(() => shown?.destroy());
    return () => h('div', { ref: element, class: 'api-reference' });
  },
});

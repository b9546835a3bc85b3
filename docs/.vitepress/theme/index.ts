// VitePress' own theme with Placar's colours, and the API reference as a component.
import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { ApiReference } from './api-reference.ts';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('ApiReference', ApiReference);
  },
} satisfies Theme;

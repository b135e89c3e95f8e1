import { render } from 'preact';
import { App } from './app.tsx';

const page = document.querySelector('#page');
if (page) render(<App />, page);

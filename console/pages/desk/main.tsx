import { render } from 'preact';
import { Desk } from './desk.tsx';

const page = document.querySelector('#page');
if (page) render(<Desk />, page);

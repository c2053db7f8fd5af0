// Shows what came back: probabilities, timing, token budget, and errors beside the field at fault.

const kStages = ['queue', 'tokenise', 'forward', 'decode'];

// Remembers what each question and each row is called in the request that is sent now.
function markAsked(form) {
  cards().forEach((card, i) => {
    card.dataset.asked = form.questions[i].id;
    answerRows(card).forEach((row, n) => {
      row.dataset.asked = form.questions[i].type === 'choice' ? form.questions[i].options[n][0] :
          form.questions[i].type === 'score'                  ? n :
                                                                row.dataset.key;
    });
  });
}

function probabilitiesOf(answer) {
  return answer.type === 'noul' ? {true: answer.noul, false: 1 - answer.noul} :
                                  answer.probabilities;
}

function headlineOf(answer) {
  if (answer.type === 'choice') return answer.choice;
  if (answer.type === 'noul') return t('truth', {p: percent(answer.noul)});
  const most = Object.keys(answer.probabilities).length - 1;
  return t('score_of', {score: answer.score.toFixed(2), most});
}

// The name may be "__proto__".
function own(object, name) {
  return name !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

function showBars(rows, probabilities) {
  const most = Math.max(...Object.values(probabilities));
  const best = rows.find((row) => own(probabilities, row.dataset.asked) === most);
  for (const row of rows) {
    const p = own(probabilities, row.dataset.asked);
    row.style.setProperty('--p', p ?? 0);
    row.classList.toggle('best', row === best);
    row.querySelector('.percent').textContent = p === undefined ? '' : percent(p);
  }
}

function showAnswer(card, answer) {
  const headline = card.querySelector('.headline');
  headline.hidden = answer === undefined;
  card.classList.toggle('answered', answer !== undefined);
  if (answer === undefined) return;
  showBars([...card.querySelectorAll('.option')], probabilitiesOf(answer));
  headline.querySelector('b').textContent = headlineOf(answer);
  const confidence = headline.querySelector('.confidence');
  confidence.hidden = answer.confidence === undefined;
  if (confidence.hidden) return;
  confidence.title = t('confidence_tip');
  confidence.firstElementChild.textContent = t('confidence', {c: answer.confidence.toFixed(2)});
  confidence.style.setProperty('--p', answer.confidence);
}

function showAnswers(answers) {
  for (const card of cards()) showAnswer(card, own(answers, card.dataset.asked));
}

// "queue;dur=0.1, tokenise;dur=0.2" to {queue: 0.1, tokenise: 0.2}.
function parseServerTiming(header) {
  const found = {};
  const parts = (header ?? '').matchAll(/([\w-]+)\s*;[^,]*?dur=([\d.]+)/g);
  for (const [, name, ms] of parts) found[name] = Number(ms);
  return found;
}

function milliseconds(ms) {
  return ms < 9.95 ? ms.toFixed(1) : ms.toFixed(0);
}

function showTiming(timing) {
  const inServer = kStages.filter((stage) => stage in timing.stages);
  $('timing').hidden = inServer.length === 0;
  const spent = inServer.reduce((sum, stage) => sum + timing.stages[stage], 0);
  const parts = [
    ...inServer.map((stage) => [stage, timing.stages[stage]]),
    ['rest', Math.max(0, timing.total - spent)]
  ];
  $('timing').querySelector('.track').replaceChildren(...parts.map(([stage, ms]) => {
    const part = document.createElement('i');
    part.className = stage;
    part.style.flexGrow = ms;
    return part;
  }));
  $('timing').querySelector('dl').replaceChildren(
      ...parts.map(([stage, ms]) => term(t(`stage_${stage}`), `${milliseconds(ms)} ms`, stage)));
}

// <div><dt>name</dt><dd>value</dd></div>
function term(name, value, style = '') {
  const [pair, dt, dd] = ['div', 'dt', 'dd'].map((tag) => document.createElement(tag));
  pair.className = style;
  dt.textContent = name;
  dd.textContent = value;
  pair.append(dt, dd);
  return pair;
}

// The plan of a request: what the model would read, told while the user types. Null: not known.
function showPlan(plan) {
  for (const card of cards()) {
    const of = plan === null ? undefined : own(plan.questions, card.querySelector('.id').value);
    showTokens(card.querySelector('.tokens'), of, plan?.max_len);
  }
  const all = Object.values(plan?.questions ?? {});
  $('budget').hidden = all.length === 0;
  if (all.length > 0) showBudgetOf(all, plan.max_len);
}

// The sentences on what is cut begin with the question's name, which stands beside them.
function showTokens(place, of, most) {
  const cuts = (of?.cuts ?? []).map((cut) => cut.replace(/^question '.*?': /s, ''));
  const count = of === undefined ? [] : [tokensText(of.tokens, most)];
  place.textContent = [...count, ...cuts].join(' · ');
  place.classList.toggle('warn', cuts.length > 0);
}

// Windows of the state and groups of options take more than one sequence.
function tokensText(n, most) {
  return t(n > most ? 'pieces' : 'tokens', {n, most});
}

function showBudgetOf(plans, most) {
  const longest = plans.reduce((a, b) => b.tokens > a.tokens ? b : a);
  const {state_tokens: state, state_tokens_kept: kept} =
      plans.reduce((a, b) => b.state_tokens_kept < a.state_tokens_kept ? b : a);
  const question = longest.tokens - longest.state_tokens_kept;
  const text = kept < state ? t('budget_cut', {kept, state, most}) :
      longest.tokens > most ? tokensText(longest.tokens, most) :
                              t('budget', {state, question, most});
  showBudget(
      longest.state_tokens_kept, question, Math.max(most, longest.tokens), kept < state, text);
}

function showBudget(state, question, most, over, text) {
  $('budget').hidden = false;
  $('budget').classList.toggle('over', over);
  $('budget').style.setProperty('--state', state / most);
  $('budget').style.setProperty('--question', question / most);
  $('budget-text').textContent = text;
}

function clearFaults() {
  for (const note of document.querySelectorAll('.fault')) note.remove();
  for (const field of document.querySelectorAll('[aria-invalid]')) {
    field.removeAttribute('aria-invalid');
    field.removeAttribute('aria-describedby');
  }
  $('failure').textContent = '';
}

// Puts a text under a field, or under the row of fields that it stands in. There a JSON Pointer
// before it says nothing new.
function showFault(field, text) {
  const note = document.createElement('p');
  note.className = 'error fault';
  note.id = `fault-${document.querySelectorAll('.fault').length}`;
  note.textContent = text.replace(/^\/\S*: /, '');
  (field.closest('.option, .question > .bar-head, label.inline') ?? field).after(note);
  field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-describedby', note.id);
}

function showFaults(faults) {
  faults.forEach(([field, text]) => showFault(field, text));
  faults[0]?.[0].focus();
}

// The field that a path such as ["questions", "urgency", "criteria", 1] speaks of, or null.
function fieldOf([member, id, ...rest]) {
  if (member === 'state') return $('state');
  if (member === 'over_length') return $('over-length');
  const card = cards().find((one) => one.dataset.asked === String(id));
  if (member !== 'questions' || card === undefined) return null;
  if (rest.includes('instructions')) return card.querySelector('.instructions');
  const last = String(rest.at(-1));
  const row = rest.includes('criteria') ?
      answerRows(card).find((one) => one.dataset.asked === last) :
      undefined;
  return row?.querySelector('.text') ?? card.querySelector('.id');
}

// What a sentence speaks of: the place of a JSON Pointer, the state, or "question 'a'".
function pathInText(text) {
  const pointer = text.match(/\/(?:state|questions|over_length)[^\s,;:'")]*/);
  if (pointer)
    return pointer[0].slice(1).split('/').map(
        (step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (/\bthe state takes \d/.test(text)) return ['state'];
  const question = text.match(/question ['"“](.+?)['"”]/);
  return question ? ['questions', question[1]] : [];
}

// The faults in the body of an error: [[path, text], ...].
function faultsIn(body) {
  const detail = body?.detail ?? body?.error ?? body?.message;
  if (Array.isArray(detail)) return detail.map(({loc = [], msg}) => [loc.slice(1), String(msg)]);
  const text = typeof detail === 'string' ? detail : detail?.message;
  return text === undefined ? [] : [[pathInText(text), text]];
}

// Each fault beside its field; what names no field goes beside the button.
function showServerFaults(faults) {
  const placed = faults.map(([path, text]) => [fieldOf(path), text]);
  $('failure').textContent =
      placed.filter(([field]) => field === null).map(([, text]) => text).join('\n');
  showFaults(placed.filter(([field]) => field !== null));
}

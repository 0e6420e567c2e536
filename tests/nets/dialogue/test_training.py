"""What is made small, worked by hand; how the cost of latents and the learning rate go with the steps."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.core.errors import RunError  # noqa: E402
from dialometer.nets.dialogue.hred import HredNetwork  # noqa: E402
from dialometer.nets.dialogue.layers import NetworkOutput  # noqa: E402
from dialometer.nets.dialogue.lstmlm import LstmlmNetwork  # noqa: E402
from dialometer.nets.dialogue.seq2seq import Seq2seqNetwork  # noqa: E402
from dialometer.nets.dialogue.training import Step, TrainingOptions, learn, loss_of, validation_loss  # noqa: E402
from dialometer.nets.dialogue.vhcr import VhcrNetwork  # noqa: E402
from dialometer.nets.dialogue.vhred import VhredNetwork  # noqa: E402
from dialometer.nets.training import loop as training  # noqa: E402
from tests.nets.dialogue.small import SIZES, network, random_talks, talks_of, whole  # noqa: E402

DATA = talks_of([[[2, 3], [4]], [[5]]])  # 7 symbols, 3 utterances


def fixed(**parts):
    """A network that says the same of everything."""
    told = {"loss": torch.tensor(14.0), "nll": torch.tensor([6.0, 5.0, 3.0])} | parts
    return lambda batch: NetworkOutput(**told)


def loss(net, course, step=0):
    return loss_of(net, DATA, Step(step, np.array([0, 1])), course).item()


KL = torch.tensor([0.5, 2.0, 4.5])


def test_nats_per_symbol():
    assert loss(fixed(), TrainingOptions()) == pytest.approx(14 / 7)


@pytest.mark.parametrize(("step", "weight"), [(0, 0.1), (1, 0.2), (4, 0.5), (9, 1.0), (10, 1.0), (1000, 1.0)])
def test_the_cost_of_latents_comes_in_step_by_step(step, weight):
    assert loss(fixed(kl=KL), TrainingOptions(anneal=10), step) == pytest.approx((14 + weight * 7) / 7)
    both = fixed(kl=KL, talk_kl=torch.tensor([1.0, 2.0]))
    assert loss(both, TrainingOptions(anneal=10), step) == pytest.approx((14 + weight * 10) / 7)


def test_without_annealing_it_costs_all_at_once():
    assert loss(fixed(kl=KL), TrainingOptions(anneal=0)) == pytest.approx(21 / 7)


def test_free_nats_cost_what_they_are_worth_at_least():
    """Each turn is charged max(KL, free): below it there is nothing to gain, and no gradient."""
    assert loss(fixed(kl=KL), TrainingOptions(free=1.0)) == pytest.approx((14 + 1 + 2 + 4.5) / 7)
    assert loss(fixed(kl=KL), TrainingOptions(free=9.0)) == pytest.approx((14 + 27) / 7)
    leaf = KL.clone().requires_grad_()
    loss_of(fixed(kl=leaf), DATA, Step(0, np.array([0, 1])), TrainingOptions(free=1.0)).backward()
    assert leaf.grad.tolist() == [0, pytest.approx(1 / 7), pytest.approx(1 / 7)]


def test_heads_are_weighed_per_utterance():
    net = fixed(emotion=torch.tensor(6.0), vector=torch.tensor(0.3))
    assert loss(net, TrainingOptions(emotion=25.0, vector=1000.0)) == pytest.approx(2 + 25 * 2 + 1000 * 0.1)
    assert loss(net, TrainingOptions()) == pytest.approx(2)


def test_the_bound_of_what_is_held_out_is_told_in_full():
    net = fixed(kl=KL, talk_kl=torch.tensor([1.0, 2.0]), emotion=torch.tensor(6.0))
    assert validation_loss(net, DATA, np.array([0, 1]), TrainingOptions(anneal=10, free=9.0)) == pytest.approx(
        (14 + 7 + 3) / 7
    )
    vhred = network("vhred")
    data = random_talks(12)
    told = vhred(whole(data, range(12)))
    wanted = (told.nll.sum() + told.kl.sum()).item() / len(data.flat)
    with torch.no_grad():
        assert validation_loss(vhred, data, np.arange(12), TrainingOptions()) == pytest.approx(wanted)


def test_the_learning_rate_falls_evenly(monkeypatch):
    rates, step = [], training._step

    def watched(model, adam, *rest, **more):
        rates.append(adam.param_groups[0]["lr"])
        return step(model, adam, *rest, **more)

    monkeypatch.setattr(training, "_step", watched)
    learn(
        HredNetwork, SIZES, random_talks(10), TrainingOptions(5, 0.01, last=0.2, epochs=2), seed=0, work=None, progress=None
    )
    assert rates == pytest.approx([0.01, 0.008, 0.006, 0.004])


SMALL = random_talks(44, seed=9)


def run(make=HredNetwork, sizes=SIZES, course=None, **more):
    options = {"seed": 1, "work": None, "progress": None} | more
    return learn(make, sizes, SMALL, course or TrainingOptions(16, 0.01, epochs=2), **options)


def test_it_learns_and_says_what_it_did():
    weights, facts = run(course=TrainingOptions(16, 0.01, epochs=3, patience=9))
    assert facts["losses"][-1] < facts["losses"][0]
    assert facts["validation"][-1] < facts["validation"][0]
    assert facts["steps"] == 9
    assert facts["parameters"] == sum(weight.size for weight in weights.values())
    assert facts["perplexity"] == pytest.approx(facts["perplexity_estimate"])
    held = SMALL.replies.sum()
    assert 0 < facts["turns"] < held / 4, "only of what was held out"
    assert [step for step, _ in facts["curve"]] == list(range(1, 10))


def test_of_long_utterances_the_first_symbols_are_learnt():
    long = talks_of([[[2] * 30, [3] * 30]] * 4)
    seen = []

    class Watching(HredNetwork):
        def forward(self, batch, *, swap=False):
            if self.training:
                seen.append(len(batch.words.sizes))
            return super().forward(batch, swap=swap)

    _, facts = learn(Watching, SIZES, long, TrainingOptions(4, epochs=1, longest=8), seed=0, work=None, progress=None)
    assert seen == [8]
    assert facts["words"] == 4 * 31, "and all are measured"


@pytest.mark.parametrize("pair", [(LstmlmNetwork, Seq2seqNetwork), (VhredNetwork, VhcrNetwork)])
def test_the_checkpoint_of_another_network_is_refused(tmp_path, pair):
    """These two have the same sizes: only their names tell them apart."""
    sizes = replace(SIZES, latent=2)
    run(pair[0], sizes, work=tmp_path)
    with pytest.raises(RunError, match="another training"):
        run(pair[1], sizes, work=tmp_path)
    weights, _ = run(pair[0], sizes, work=tmp_path)
    assert set(weights) == set(pair[0](sizes).state_dict())


def test_other_data_or_another_course_are_refused(tmp_path):
    run(work=tmp_path)
    with pytest.raises(RunError, match="another training"):
        run(work=tmp_path, course=TrainingOptions(16, 0.01, epochs=2, anneal=5))
    with pytest.raises(RunError, match="another training"):
        learn(
            HredNetwork,
            SIZES,
            random_talks(44, seed=8),
            TrainingOptions(16, 0.01, epochs=2),
            seed=1,
            work=tmp_path,
            progress=None,
        )

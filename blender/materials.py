"""What soft bodies are made of: values to begin with, which the panel shows and the config has written out."""

# The presets of solids, whose sources docs/materials.md has. Name: what is shown, what it is, Young's modulus in Pa, Poisson's
# ratio, density in kg/m³.
SOFT = {
    "JELLY": ("Jelly", "A dessert that sags by a quarter when it leaves its mould", 1.2e3, 0.45, 1300.0),
    "GELATIN": ("Gelatin", "A firm gel", 1e4, 0.45, 1000.0),
    "FLESH": ("Flesh", "Skin and fat at rest", 2.6e4, 0.45, 1000.0),
    "FOAM": ("Foam", "Soft upholstery, light", 2.8e4, 0.33, 30.0),
    "MUSCLE": ("Muscle", "Muscle that is relaxed and pressed", 6.2e4, 0.45, 1060.0),
    "RUBBER": ("Rubber", "Natural rubber, as in rubber bands", 1.2e6, 0.45, 930.0),
    "CORK": ("Cork", "Stiff and light; keeps its width", 1.3e7, 0.1, 170.0),
}
CUSTOM = "CUSTOM"


def items():
    """The choices of the panel."""
    listed = [(key, shown, about) for key, (shown, about, *_) in SOFT.items()]
    return [*listed, (CUSTOM, "Custom", "Your own values")]


def is_preset(key, values):
    """True if stiffness, ratio and density are those of a preset."""
    wanted = SOFT[key][2:] if key in SOFT else values
    return all(abs(a - b) <= 1e-5 * max(abs(a), 1e-3) for a, b in zip(wanted, values))
